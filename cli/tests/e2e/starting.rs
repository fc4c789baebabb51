//! Processes that start before their servers, and `guildhall healthcheck`.

use std::time::Duration;

use testkit::proxy::Proxy;
use testkit::{Deployment, Mode, Running, Setup, TestDatabase, both_modes, eventually, run_unstarted};

both_modes!(healthcheck_says_whether_a_process_is_ready(own));

const WITHIN: Duration = Duration::from_secs(30);
const STOPS_WITHIN: Duration = Duration::from_secs(35);
const PATIENT: (&str, &str) = ("GUILDHALL_WAIT_FOR_SERVERS", "60");

#[test]
fn processes_wait_for_their_servers() {
    run_unstarted(Setup::new(Mode::Distributed), async |deployment| {
        let url =
            |variable: &str| deployment.env.iter().find(|(name, _)| name == variable).unwrap().1.clone();
        for variable in ["GUILDHALL_DATABASE_URL", "GUILDHALL_REDIS_URL"] {
            let proxy = Proxy::before(&url(variable)).unwrap();
            proxy.refuse();
            let through = proxy.url(&url(variable));
            let mut hasty = deployment.spawn_with("worker", &[(variable, &through)]);
            assert!(!hasty.process.ended(STOPS_WITHIN).await.success(), "without the setting it fails");
            let patient = deployment.spawn_with("worker", &[(variable, &through), PATIENT]);
            waits(&patient).await;
            proxy.heal();
            is_ready(deployment, patient).await;
        }
    });
}

#[test]
fn processes_wait_for_migrate() {
    run_unstarted(Setup::new(Mode::Distributed), async |deployment| {
        let server = testkit::Servers::from_env().database;
        let empty = TestDatabase::empty_on_server(&server).await;
        let database = ("GUILDHALL_DATABASE_URL", empty.url());
        let api = deployment.spawn_with("api", &[database, PATIENT]);
        waits(&api).await;
        let mut migrate = deployment.spawn_with("migrate", &[database]);
        assert!(migrate.process.ended(STOPS_WITHIN).await.success());
        is_ready(deployment, api).await;
    });
}

#[test]
fn who_waits_can_be_stopped() {
    run_unstarted(Setup::new(Mode::Distributed), async |deployment| {
        let nobody = format!("postgres://user:secret@{}/none", testkit::free_address());
        for role in ["worker", "migrate"] {
            let mut waiting = deployment.spawn_with(role, &[("GUILDHALL_DATABASE_URL", &nobody), PATIENT]);
            waits(&waiting).await;
            waiting.process.terminate();
            assert!(!waiting.process.ended(STOPS_WITHIN).await.success());
            assert!(!waiting.process.log().contains("secret"), "{}", waiting.process.log());
        }
    });
}

async fn waits(running: &Running) {
    eventually("it waits", WITHIN, async || running.process.log().contains("waiting for it").then_some(()))
        .await;
}

async fn is_ready(deployment: &Deployment, running: Running) {
    deployment.roles().workers.push(running);
    deployment.wait_until_ready().await;
    deployment.roles().workers.remove(0).process.kill();
}

async fn healthcheck_says_whether_a_process_is_ready(deployment: &Deployment) {
    let addresses: Vec<_> = deployment.roles().all().map(|running| running.metrics.clone()).collect();
    for address in &addresses {
        let address = address.strip_prefix("http://").unwrap();
        let said = deployment.command(&["healthcheck", "--metrics-listen", address]).await.succeeded();
        assert_eq!(said.trim(), "ready");
        let port = address.rsplit(':').next().unwrap();
        deployment
            .command(&["healthcheck", "--metrics-listen", &format!("0.0.0.0:{port}")])
            .await
            .succeeded();
    }
    let public = deployment.api_base(0);
    let of_api = ["healthcheck", "--listen", public.strip_prefix("http://").unwrap()];
    deployment.command(&of_api).await.succeeded();
    let mut api = deployment.roles().apis.remove(0);
    api.process.terminate();
    api.process.ended(STOPS_WITHIN).await;
    let refused = deployment.command(&of_api).await.refused();
    assert!(refused.contains("no process answers at 127.0.0.1:"), "{refused}");
}
