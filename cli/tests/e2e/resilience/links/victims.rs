//! Processes that die at the fail points, one after another, and API processes that are killed at any moment.

use std::cell::Cell;
use std::time::Duration;

use testkit::{Deployment, Mode, Running, eventually};

/// Where a worker dies while it gives roles and nicknames.
const WORKER: [&str; 6] =
    ["after_claim", "after_ack", "before_effect", "after_effect", "before_commit", "after_commit"];
/// Where whatever enqueues a job dies.
const API: [&str; 3] = ["after_insert", "after_publish", "after_confirm"];
/// A process lives this many hits of its point.
const HITS: usize = 6;
/// An API process is killed after this many more links have begun.
const LINKS_PER_KILL: usize = 12;
/// Longer than the whole load.
const WITHIN: Duration = Duration::from_secs(3_600);

/// A role, and what it dies of.
struct Victim {
    role: &'static str,
    running: Running,
}

/// Replaces each process that has died, until the load is over. Returns how many died.
pub(super) async fn keep_killing(deployment: &Deployment, begun: &Cell<usize>, over: &Cell<bool>) -> usize {
    let (mut killed, mut next) = (0, LINKS_PER_KILL);
    arm_all(deployment);
    loop {
        let victim = eventually("a process dies", WITHIN, async || {
            if over.get() {
                return Some(None);
            }
            if begun.get() >= next {
                next = begun.get() + LINKS_PER_KILL;
                deployment.roles().apis[0].process.kill();
            }
            take_dead(deployment).map(Some)
        })
        .await;
        let Some(Victim { role, running }) = victim else { return killed };
        killed += 1;
        if deployment.mode() == Mode::Distributed && role == "worker" {
            deployment.let_be_silent(&running.process).await;
        }
        start(deployment, role, &point(role, killed));
        take_interactions(deployment).await;
    }
}

/// Kills all processes, and starts others without fail points, and `more` workers.
pub(super) async fn replace_all(deployment: &Deployment, more: usize) {
    let mut old = std::mem::take(&mut *deployment.roles());
    for running in old.all() {
        running.process.kill();
    }
    if deployment.mode() == Mode::Embedded {
        start(deployment, "serve", "");
    } else {
        for running in &old.workers {
            deployment.let_be_silent(&running.process).await;
        }
        for role in ["api", "scheduler"].into_iter().chain(std::iter::repeat_n("worker", 1 + more)) {
            start(deployment, role, "");
        }
    }
    deployment.wait_until_ready().await;
}

/// Each process gets a point at which it dies.
fn arm_all(deployment: &Deployment) {
    let mut old = std::mem::take(&mut *deployment.roles());
    for running in old.all() {
        running.process.kill();
    }
    let roles: &[&str] = match deployment.mode() {
        Mode::Embedded => &["serve"],
        Mode::Distributed => &["api", "worker", "worker", "scheduler"],
    };
    for (number, role) in roles.iter().enumerate() {
        start(deployment, role, &point(role, number));
    }
}

/// The point at which the process of this number dies.
fn point(role: &str, number: usize) -> String {
    let all: Vec<&str> = match role {
        "scheduler" => return String::new(),
        "api" => API.to_vec(),
        "worker" => WORKER.to_vec(),
        _ => API.into_iter().chain(WORKER).collect(),
    };
    format!("{}=abort@{}", all[number % all.len()], 1 + number % HITS)
}

fn start(deployment: &Deployment, role: &'static str, points: &str) {
    let running = deployment.spawn_with(role, &[("GUILDHALL_FAIL_POINTS", points)]);
    let mut roles = deployment.roles();
    match role {
        "worker" => roles.workers.push(running),
        "scheduler" => roles.schedulers.push(running),
        _ => roles.apis.push(running),
    }
}

fn take_dead(deployment: &Deployment) -> Option<Victim> {
    let front = if deployment.mode() == Mode::Embedded { "serve" } else { "api" };
    let roles = &mut *deployment.roles();
    for (role, all) in [(front, &mut roles.apis), ("worker", &mut roles.workers)] {
        if let Some(dead) = all.iter_mut().position(|running| running.process.has_ended().is_some()) {
            return Some(Victim { role, running: all.remove(dead) });
        }
    }
    None
}

/// Interactions of the chat platform are sent to the API process that is there.
async fn take_interactions(deployment: &Deployment) {
    let endpoint = format!("{}/chat/interactions", deployment.api_base(0));
    deployment.simulator.set_interactions_endpoint(&endpoint).await;
}
