//! Processes with fail points.

use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use testkit::{Api, Deployment, Mode, Running};

/// The signal of an abort.
const SIGABRT: i32 = 6;
const WITHIN: Duration = Duration::from_secs(30);

/// Starts a process with these fail points and waits until it is ready. The deployment does not own it, because its own
/// processes must not end during a test.
pub(super) async fn start(deployment: &Deployment, role: &str, points: &str) -> Running {
    let armed = deployment.spawn_with(role, &[("GUILDHALL_FAIL_POINTS", points)]);
    deployment.roles().workers.push(armed);
    deployment.wait_until_ready().await;
    deployment.roles().workers.pop().unwrap()
}

/// Starts the deployment's own processes of these roles.
pub(super) async fn start_own(deployment: &Deployment, roles: &[&str]) {
    for role in roles {
        let own = deployment.spawn(role);
        let mut running = deployment.roles();
        match *role {
            "worker" => running.workers.push(own),
            "scheduler" => running.schedulers.push(own),
            _ => running.apis.push(own),
        }
    }
    deployment.wait_until_ready().await;
}

/// The role that serves the API in this mode.
pub(super) fn front(deployment: &Deployment) -> &'static str {
    if deployment.mode() == Mode::Embedded { "serve" } else { "api" }
}

/// The API of this process, with the first guild's key of all scopes.
pub(super) fn api_of(deployment: &Deployment, process: &Running) -> Api {
    Api::new(&process.base).key(&deployment.guild().admin_key)
}

/// Waits until the process aborts at its fail point.
pub(super) async fn has_died(process: &mut Running) {
    let status = process.process.ended(WITHIN).await;
    assert_eq!(status.signal(), Some(SIGABRT), "{status}: {}", process.process.log());
}
