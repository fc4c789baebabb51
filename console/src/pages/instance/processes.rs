//! The processes of this instance. `guildhall serve` is API, worker, scheduler and gateway in one: its parts share one
//! row.

use std::collections::{BTreeMap, BTreeSet};

use entities::job::Class;
use entities::process::{Role, is_alive};
use entities::worker::{self, Listed};
use entities::{Timestamp, api_process};
use runtime::Pool;
use sea_orm::DbErr;

use crate::html::format::{Number, When};

pub(super) struct Process {
    pub(super) roles: BTreeSet<Role>,
    /// Its name in the jobs that it runs; of several parts, their common prefix: host and process id.
    pub(super) name: String,
    pub(super) version: String,
    /// Of processes that run jobs.
    pub(super) running: Option<Number<u64>>,
    slots: BTreeMap<Class, u64>,
    pub(super) started: When,
    pub(super) heartbeat: When,
    pub(super) alive: bool,
}

/// `now`: by the database's clock, which writes the heartbeats.
pub(super) async fn read(conn: &Pool, now: Timestamp) -> Result<Vec<Process>, DbErr> {
    let others = api_process::list(conn).await?.into_iter().map(|row| Process::without_jobs(row, now));
    let workers = worker::list(conn).await?.into_iter().map(|row| Process::worker(row, now));
    let mut processes: Vec<Process> = Vec::new();
    for part in others.chain(workers) {
        match processes.iter_mut().find(|process| process.is_one_with(&part)) {
            Some(process) => process.add(part),
            None => processes.push(part),
        }
    }
    Ok(processes)
}

/// The classes of which nobody runs jobs.
pub(super) fn unserved(processes: &[Process]) -> Vec<Class> {
    let alive = || processes.iter().filter(|process| process.alive);
    Class::ALL.iter().copied().filter(|class| !alive().any(|process| process.slots_of(*class) > 0)).collect()
}

impl Process {
    fn worker(Listed { worker, running }: Listed, now: Timestamp) -> Self {
        Self {
            roles: BTreeSet::from([worker.role()]),
            slots: worker.slots(),
            alive: is_alive(worker.heartbeat_at, now),
            running: Some(Number(running)),
            started: When { at: worker.started_at, now },
            heartbeat: When { at: worker.heartbeat_at, now },
            name: worker.name,
            version: worker.version,
        }
    }

    fn without_jobs(row: api_process::Model, now: Timestamp) -> Self {
        Self {
            roles: BTreeSet::from([row.role.into()]),
            alive: is_alive(row.heartbeat_at, now),
            running: None,
            slots: BTreeMap::new(),
            started: When { at: row.started_at, now },
            heartbeat: When { at: row.heartbeat_at, now },
            name: row.name,
            version: row.version,
        }
    }

    /// A process that died and its successor may share host and process id.
    fn is_one_with(&self, other: &Self) -> bool {
        self.alive == other.alive && of_process(&self.name) == of_process(&other.name)
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
        self.name = of_process(&self.name).to_owned();
        for (class, count) in part.slots {
            *self.slots.entry(class).or_default() += count;
        }
    }

    pub(super) fn roles(&self) -> String {
        let word = |role: &Role| if *role == Role::Api { "API" } else { role.name() };
        self.roles.iter().map(word).collect::<Vec<_>>().join(", ")
    }

    /// "bulk 32, default 8", without classes that it does not run.
    pub(super) fn slots(&self) -> String {
        self.slots
            .iter()
            .map(|(class, count)| format!("{} {count}", class.name()))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// How many jobs of the class it runs at once.
    pub(super) fn slots_of(&self, class: Class) -> u64 {
        self.slots.get(&class).copied().unwrap_or_default()
    }
}

/// Host and process id: names have a third part, which differs between two parts of one process.
fn of_process(name: &str) -> &str {
    name.match_indices(':').nth(1).map_or(name, |(end, _)| &name[..end])
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn parts_of_one_process_are_one_row() {
        let now = "2026-11-22T12:00:00Z".parse().unwrap();
        let part = |name: &str, json: Value| {
            let (name, host, version) = (name.to_owned(), "vm".to_owned(), "1".to_owned());
            let worker =
                worker::Model { name, host, version, slots: json, started_at: now, heartbeat_at: now };
            Process::worker(Listed { worker, running: 2 }, now)
        };
        let other = part("vm:17:6c37", json!({ "bulk": 32, "maintenance": 0, "quarantine": 1 }));
        let mut one = part("vm:17:99aa", json!({ "bulk": 0, "maintenance": 4, "quarantine": 1 }));
        assert!(one.is_one_with(&other) && !one.is_one_with(&part("vm:18:6c37", Value::Null)));
        one.add(other);
        assert_eq!(
            (one.name.as_str(), one.roles(), one.running.unwrap().0),
            ("vm:17", "worker, scheduler".into(), 4)
        );
        assert_eq!(one.slots(), "bulk 32, maintenance 4, quarantine 2");
        assert_eq!([Class::Bulk, Class::Default].map(|class| one.slots_of(class)), [32, 0]);
        assert!(one.is_one_with(&part("vm:17:0000", Value::Null)));
    }
}
