//! Processes that are told where to come to grief.

use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use crate::harness::{Api, Mode, Running, World};

/// What `abort` ends a process with.
const SIGABRT: i32 = 6;
const WITHIN: Duration = Duration::from_secs(30);

/// Starts a process with these fail points, and waits for it to be ready. It is none of the world's own: those are
/// expected to live.
pub(super) async fn start(world: &World, role: &str, points: &str) -> Running {
    let armed = world.spawn_with(role, &[("GUILDHALL_FAIL_POINTS", points)]);
    world.roles().workers.push(armed);
    world.wait_until_ready().await;
    world.roles().workers.pop().unwrap()
}

/// Starts the world's own processes of these roles.
pub(super) async fn start_own(world: &World, roles: &[&str]) {
    for role in roles {
        let own = world.spawn(role);
        let mut running = world.roles();
        match *role {
            "worker" => running.workers.push(own),
            "scheduler" => running.schedulers.push(own),
            _ => running.apis.push(own),
        }
    }
    world.wait_until_ready().await;
}

/// The process that takes calls in this mode.
pub(super) fn front(world: &World) -> &'static str {
    if world.mode() == Mode::Embedded { "serve" } else { "api" }
}

/// This process, with the first guild's key of all scopes.
pub(super) fn api_of(world: &World, process: &Running) -> Api {
    Api::new(&process.base).key(&world.guild().admin_key)
}

/// It ends by itself, at its fail point.
pub(super) async fn has_died(process: &mut Running) {
    let status = process.process.ended(WITHIN).await;
    assert_eq!(status.signal(), Some(SIGABRT), "{status}: {}", process.process.log());
}
