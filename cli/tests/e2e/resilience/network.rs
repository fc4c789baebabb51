//! Deployments that reach one of their servers through a proxy with faults: delay, cut, silence, reset. Each test checks
//! the caller's answer, the row and the final result. The server itself works, and other tests use it directly.

mod broker;
mod database;
mod order;
mod outage;
mod platforms;
mod redis;

use testkit::proxy::Proxy;

use order::Order;
use testkit::{Deployment, Mode, Setup, run_unstarted};

/// Starts one process of each role; all reach the servers of these variables through the proxy.
fn through(variables: &'static [&'static str], test: impl AsyncFnOnce(&Deployment, &Proxy)) {
    through_of(&["api", "worker", "scheduler"], variables, test);
}

/// Like [`through`], for processes of these roles only.
fn through_of(
    roles: &'static [&'static str],
    variables: &'static [&'static str],
    test: impl AsyncFnOnce(&Deployment, &Proxy),
) {
    run_unstarted(Setup::new(Mode::Distributed), async |deployment| {
        let url =
            |variable: &str| deployment.env.iter().find(|(name, _)| name == variable).unwrap().1.clone();
        let proxy = Proxy::before(&url(variables[0])).unwrap();
        let led: Vec<_> = variables.iter().map(|name| (*name, proxy.url(&url(name)))).collect();
        let led: Vec<_> = led.iter().map(|(name, url)| (*name, url.as_str())).collect();
        let [api, worker, scheduler] = ["api", "worker", "scheduler"]
            .map(|role| deployment.spawn_with(role, if roles.contains(&role) { &led } else { &[] }));
        deployment.roles().apis.push(api);
        deployment.roles().workers.push(worker);
        deployment.roles().schedulers.push(scheduler);
        deployment.wait_until_ready().await;
        Order::next(deployment, 5).ends_well().await;
        test(deployment, &proxy).await;
        Order::next(deployment, 5).ends_well().await;
    });
}

/// Waits until the API reports this state of the dependency.
async fn reports(deployment: &Deployment, dependency: &str, state: &str) {
    let url = format!("{}/health/ready", deployment.api_base(0));
    let what = format!("the API reports {dependency} as {state}");
    testkit::eventually(&what, order::WAIT_LIMIT, async || {
        let answer = testkit::http_client().get(&url).send().await.unwrap();
        let report: serde_json::Value = answer.json().await.unwrap();
        (report["dependencies"][dependency] == state).then_some(())
    })
    .await;
}
