//! A world whose processes reach one of their servers through a proxy that fails: late, cut, silent, reset. What the
//! caller saw, what the row says, and how it ended. The server itself is unhurt, and nobody else's.

mod broker;
mod database;
mod order;
mod platforms;
mod redis;

use bench::proxy::Proxy;

use crate::harness::{Mode, Setup, World, run_unstarted};
use order::Order;

/// Starts a world of one process each, all of them told these variables' servers at the proxy's address.
fn through(variables: &'static [&'static str], test: impl AsyncFnOnce(&World, &Proxy)) {
    through_of(&["api", "worker", "scheduler"], variables, test);
}

/// Like [`through`], where only processes of these roles are led through the proxy.
fn through_of(
    roles: &'static [&'static str],
    variables: &'static [&'static str],
    test: impl AsyncFnOnce(&World, &Proxy),
) {
    run_unstarted(Setup::new(Mode::Distributed), async |world| {
        let url = |variable: &str| world.env.iter().find(|(name, _)| name == variable).unwrap().1.clone();
        let proxy = Proxy::before(&url(variables[0])).unwrap();
        let led: Vec<_> = variables.iter().map(|name| (*name, proxy.url(&url(name)))).collect();
        let led: Vec<_> = led.iter().map(|(name, url)| (*name, url.as_str())).collect();
        let [api, worker, scheduler] = ["api", "worker", "scheduler"]
            .map(|role| world.spawn_with(role, if roles.contains(&role) { &led } else { &[] }));
        world.roles().apis.push(api);
        world.roles().workers.push(worker);
        world.roles().schedulers.push(scheduler);
        world.wait_until_ready().await;
        // Before anything fails.
        Order::next(world, 5).ends_well().await;
        test(world, &proxy).await;
        Order::next(world, 5).ends_well().await;
    });
}

/// Until the API says so of what it needs; it serves all the while.
async fn reports(world: &World, dependency: &str, state: &str) {
    let url = format!("{}/health/ready", world.roles().api_base(0));
    let what = format!("the API reports {dependency} as {state}");
    crate::harness::eventually(&what, order::PATIENCE, async || {
        let answer = crate::harness::http_client().get(&url).send().await.unwrap();
        let report: serde_json::Value = answer.json().await.unwrap();
        (report["dependencies"][dependency] == state).then_some(())
    })
    .await;
}
