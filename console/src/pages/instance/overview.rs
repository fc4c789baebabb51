//! /console/instance: what runs, what waits, and what the processes depend on.

use askama::Template;
use entities::job::{Class, State, listing, retry, time};
use entities::worker::{self, Listed};
use entities::{Timestamp, api_process, job_pause, leader_lease};
use queue::DEAD_AFTER;
use serde_json::Value;

use crate::answer::{Answer, PageError};
use crate::shell::Shell;
use crate::shell::instance::InstancePlace;
use crate::visit::Visit;
use crate::words::{Length, Number, When};

#[derive(Template)]
#[template(path = "instance/overview.html")]
struct Page {
    shell: Shell,
    /// Of `processes`.
    alive: usize,
    running: Number<u64>,
    waiting: Number<i64>,
    /// How long the oldest available job has waited.
    oldest: Option<Length>,
    failed: Number<u64>,
    dead: Number<u64>,
    pauses: usize,
    dependencies: Vec<(&'static str, bool)>,
    /// Processes share a broker, so one scheduler of them leads.
    distributed: bool,
    leader: Option<Leader>,
    processes: Vec<Process>,
    runs_jobs: bool,
}

struct Leader {
    name: String,
    extended: When,
}

struct Process {
    role: &'static str,
    name: String,
    host: String,
    version: String,
    /// Of processes that run jobs.
    running: Option<Number<u64>>,
    slots: String,
    started: When,
    heartbeat: When,
    alive: bool,
}

pub(crate) async fn get(visit: Visit) -> Result<Answer, PageError> {
    let (conn, now) = (visit.read(), visit.now());
    let database_now = time::read(conn, now).await?;
    let (mut waiting, mut oldest) = (0, None::<Timestamp>);
    for &class in Class::ALL {
        let backlog = listing::backlog(conn, class, now).await?;
        waiting += backlog.available + backlog.held;
        oldest = [oldest, backlog.oldest].into_iter().flatten().min();
    }
    let workers = worker::list(conn).await?;
    let running = workers.iter().map(|listed| listed.running).sum();
    let workers = workers.into_iter().map(|row| Process::worker(row, database_now));
    let apis = api_process::list(conn).await?.into_iter().map(|row| Process::api(row, database_now));
    let processes: Vec<_> = apis.chain(workers).collect();
    let dependencies = dependencies(&visit).await;
    let leader = leader_lease::find(conn, scheduler::LEADER).await?;
    let count = async |state| -> Result<_, PageError> {
        let which = retry::Which { state: Some(state), ..retry::Which::default() };
        Ok(Number(retry::count_failed(conn, which).await?))
    };
    let page = Page {
        shell: Shell::of_instance("Instance", &visit, InstancePlace::Overview),
        alive: processes.iter().filter(|process| process.alive).count(),
        running: Number(running),
        waiting: Number(waiting),
        oldest: oldest.map(|since| Length(database_now - since)),
        failed: count(State::Failed).await?,
        dead: count(State::Dead).await?,
        pauses: job_pause::list(conn).await?.len(),
        distributed: dependencies.iter().any(|(name, _)| *name == "broker"),
        dependencies,
        leader: leader
            .filter(|lease| !lease.is_given_up())
            .map(|lease| Leader { name: lease.holder, extended: visit.when(lease.extended_at) }),
        runs_jobs: processes.iter().any(|process| process.running.is_some()),
        processes,
    };
    Answer::page(&page)
}

async fn dependencies(visit: &Visit) -> Vec<(&'static str, bool)> {
    let report = visit.context().readiness.report().await;
    report.dependencies.into_iter().map(|(name, state)| (name, state == "ok")).collect()
}

/// `now`: by the database's clock, which writes the heartbeats.
fn is_alive(heartbeat: Timestamp, now: Timestamp) -> bool {
    heartbeat > now || (now - heartbeat).to_std().is_ok_and(|silent| silent < DEAD_AFTER)
}

impl Process {
    fn worker(Listed { worker, running }: Listed, now: Timestamp) -> Self {
        Self {
            role: role(&worker.slots),
            alive: is_alive(worker.heartbeat_at, now),
            running: Some(Number(running)),
            slots: slots(&worker.slots),
            started: When { at: worker.started_at, now },
            heartbeat: When { at: worker.heartbeat_at, now },
            name: worker.name,
            host: worker.host,
            version: worker.version,
        }
    }

    fn api(row: api_process::Model, now: Timestamp) -> Self {
        Self {
            role: "API",
            alive: is_alive(row.heartbeat_at, now),
            running: None,
            slots: String::new(),
            started: When { at: row.started_at, now },
            heartbeat: When { at: row.heartbeat_at, now },
            name: row.name,
            host: row.host,
            version: row.version,
        }
    }
}

/// Periodic tasks run in schedulers only.
fn role(slots: &Value) -> &'static str {
    if taken(slots).any(|(class, _)| class == "maintenance") { "scheduler" } else { "worker" }
}

/// The classes that a process runs, with their slots.
fn taken(slots: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let of = slots.as_object().into_iter().flatten();
    of.map(|(class, count)| (class.as_str(), count)).filter(|(_, count)| count.as_u64() != Some(0))
}

/// `bulk 32, default 8, interactive 16`, without classes that it does not run.
fn slots(slots: &Value) -> String {
    taken(slots).map(|(class, count)| format!("{class} {count}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn slots_are_named_by_their_class() {
        assert_eq!(slots(&json!({ "bulk": 32, "default": 8, "quarantine": 0 })), "bulk 32, default 8");
        assert_eq!(slots(&Value::Null), "");
        assert_eq!(role(&json!({ "bulk": 0, "maintenance": 4, "quarantine": 1 })), "scheduler");
        assert_eq!(role(&json!({ "bulk": 32, "maintenance": 0 })), "worker");
    }
}
