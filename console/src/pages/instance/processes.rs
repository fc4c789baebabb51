//! The processes of this instance. `guildhall serve` is API, worker and scheduler in one: its parts stand in one row.

use entities::job::Class;
use entities::worker::{self, Listed};
use entities::{Timestamp, api_process};
use queue::DEAD_AFTER;
use runtime::Pool;
use sea_orm::DbErr;
use serde_json::Value;

use crate::words::{Number, When};

pub(super) struct Process {
    /// "API", "worker", "scheduler".
    pub(super) roles: Vec<&'static str>,
    /// Of each part, as the jobs that it runs name it. They begin with the host.
    pub(super) names: Vec<String>,
    pub(super) version: String,
    /// Of processes that run jobs.
    pub(super) running: Option<Number<u64>>,
    slots: Vec<String>,
    pub(super) started: When,
    pub(super) heartbeat: When,
    pub(super) alive: bool,
}

/// `now`: by the database's clock, which writes the heartbeats.
pub(super) async fn read(conn: &Pool, now: Timestamp) -> Result<Vec<Process>, DbErr> {
    let apis = api_process::list(conn).await?.into_iter().map(|row| Process::api(row, now));
    let workers = worker::list(conn).await?.into_iter().map(|row| Process::worker(row, now));
    let mut processes: Vec<Process> = Vec::new();
    for part in apis.chain(workers) {
        match processes.iter_mut().find(|process| process.is_one_with(&part)) {
            Some(process) => process.add(part),
            None => processes.push(part),
        }
    }
    Ok(processes)
}

fn is_alive(heartbeat: Timestamp, now: Timestamp) -> bool {
    heartbeat > now || (now - heartbeat).to_std().is_ok_and(|silent| silent < DEAD_AFTER)
}

impl Process {
    fn worker(Listed { worker, running }: Listed, now: Timestamp) -> Self {
        Self {
            roles: vec![role(&worker.slots)],
            alive: is_alive(worker.heartbeat_at, now),
            running: Some(Number(running)),
            slots: slots(&worker.slots),
            started: When { at: worker.started_at, now },
            heartbeat: When { at: worker.heartbeat_at, now },
            names: vec![worker.name],
            version: worker.version,
        }
    }

    fn api(row: api_process::Model, now: Timestamp) -> Self {
        Self {
            roles: vec!["API"],
            alive: is_alive(row.heartbeat_at, now),
            running: None,
            slots: Vec::new(),
            started: When { at: row.started_at, now },
            heartbeat: When { at: row.heartbeat_at, now },
            names: vec![row.name],
            version: row.version,
        }
    }

    /// Host and process id; a process that died and its successor may share them.
    fn is_one_with(&self, other: &Self) -> bool {
        let same = self.names.first().zip(other.names.first());
        self.alive == other.alive && same.is_some_and(|(one, other)| of_process(one) == of_process(other))
    }

    fn add(&mut self, part: Self) {
        self.running = match (self.running, part.running) {
            (Some(one), Some(other)) => Some(Number(one.0 + other.0)),
            (one, other) => one.or(other),
        };
        if part.heartbeat.at < self.heartbeat.at {
            self.heartbeat = part.heartbeat;
        }
        self.roles.extend(part.roles);
        self.names.extend(part.names);
        self.slots.extend(part.slots);
    }

    pub(super) fn roles(&self) -> String {
        self.roles.join(", ")
    }

    pub(super) fn slots(&self) -> String {
        self.slots.join(", ")
    }
}

/// Without the part that differs between two parts of one process.
fn of_process(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(process, _)| process)
}

/// Periodic tasks run in schedulers only.
fn role(slots: &Value) -> &'static str {
    if taken(slots).any(|(class, _)| class == "maintenance") { "scheduler" } else { "worker" }
}

/// The classes that a process runs, with their slots.
fn taken(slots: &Value) -> impl Iterator<Item = (&str, u64)> {
    let of = slots.as_object().into_iter().flatten();
    of.filter_map(|(class, count)| Some((class.as_str(), count.as_u64().filter(|count| *count > 0)?)))
}

/// How many jobs of the class a process runs at once.
pub(super) fn slots_of(slots: &Value, class: Class) -> u64 {
    taken(slots).filter(|(name, _)| *name == class.name()).map(|(_, count)| count).sum()
}

/// `bulk 32`, `default 8`, without classes that it does not run.
fn slots(slots: &Value) -> Vec<String> {
    taken(slots).map(|(class, count)| format!("{class} {count}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn slots_are_named_by_their_class() {
        assert_eq!(
            slots(&json!({ "bulk": 32, "default": 8, "quarantine": 0 })).join(", "),
            "bulk 32, default 8"
        );
        assert!(slots(&Value::Null).is_empty());
        assert_eq!(role(&json!({ "bulk": 0, "maintenance": 4, "quarantine": 1 })), "scheduler");
        assert_eq!(role(&json!({ "bulk": 32, "maintenance": 0 })), "worker");
        assert_eq!(slots_of(&json!({ "bulk": 32, "default": 8 }), Class::Bulk), 32);
        assert_eq!([of_process("vm:17:6c37"), of_process("vm")], ["vm:17", "vm"]);
    }
}
