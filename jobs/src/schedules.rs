//! The table of schedules, and what operators do with one, by a command or in the console. The code of each task is in
//! `scheduler/src/tasks.rs`.

use std::str::FromStr;

use entities::{Timestamp, schedule};
use queue::{Draft, Enqueued, QueueError};
use runtime::UnitOfWork;

use crate::kinds::PeriodicTask;

/// A task at set times. Times are UTC; the fields are second, minute, hour, day of month, month, day of week.
#[derive(Debug)]
pub struct Schedule {
    pub name: &'static str,
    pub cron: &'static str,
    pub task: Task,
    /// Its description for operators.
    pub about: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub enum Task {
    Sanctions,
    Leave,
    Strikes,
    Commands,
    StaleSessions,
    OfflineServers,
    OldCommands,
    OldServers,
    ChangeLog,
    IdempotencyKeys,
    FinishedTicks,
    Retention,
    QueueSamples,
    OldQueueSamples,
    Console,
}

pub const SCHEDULES: &[Schedule] = &[
    Schedule {
        name: "sanctions",
        cron: "5 * * * * *",
        task: Task::Sanctions,
        about: "ends expired bans and mutes",
    },
    Schedule { name: "loa", cron: "25 * * * * *", task: Task::Leave, about: "ends leave after its last day" },
    Schedule { name: "strikes", cron: "35 * * * * *", task: Task::Strikes, about: "ends expired strikes" },
    Schedule {
        name: "commands",
        cron: "45 * * * * *",
        task: Task::Commands,
        about: "ends commands that no game server acknowledged within ten minutes",
    },
    Schedule {
        name: "stale_sessions",
        cron: "20,50 * * * * *",
        task: Task::StaleSessions,
        about: "ends staff sessions without a heartbeat for two minutes",
    },
    Schedule {
        name: "offline_servers",
        cron: "10,40 * * * * *",
        task: Task::OfflineServers,
        about: "marks game servers without a heartbeat for 90 seconds as offline",
    },
    Schedule {
        name: "old_commands",
        cron: "55 */5 * * * *",
        task: Task::OldCommands,
        about: "deletes commands an hour after their end",
    },
    Schedule {
        name: "old_servers",
        cron: "0 53 * * * *",
        task: Task::OldServers,
        about: "deletes game servers a week after their last heartbeat",
    },
    Schedule {
        name: "change_log",
        cron: "0 */5 * * * *",
        task: Task::ChangeLog,
        about: "deletes events of the change log after half an hour",
    },
    Schedule {
        name: "idempotency_keys",
        cron: "0 */10 * * * *",
        task: Task::IdempotencyKeys,
        about: "deletes expired idempotency keys with their answers",
    },
    Schedule {
        name: "finished_jobs",
        cron: "0 17 * * * *",
        task: Task::FinishedTicks,
        about: "deletes succeeded jobs of schedules after a day",
    },
    Schedule {
        name: "retention",
        cron: "0 37 * * * *",
        task: Task::Retention,
        about: "deletes jobs, audit entries and other records after their time (GUILDHALL_RETENTION_...)",
    },
    Schedule {
        name: "queue_samples",
        cron: "15 * * * * *",
        task: Task::QueueSamples,
        about: "measures how many jobs wait, and for how long, for the charts",
    },
    Schedule {
        name: "old_queue_samples",
        cron: "0 */30 * * * *",
        task: Task::OldQueueSamples,
        about: "deletes old measurements of the queues",
    },
    Schedule {
        name: "console",
        cron: "30 */10 * * * *",
        task: Task::Console,
        about: "deletes ended sessions and unused links of the console",
    },
];

/// The result of [`Schedule::run_now`].
#[derive(Debug)]
pub enum RunNow {
    /// After the commit, publish the job's message; else the safety net finds it. A job that `joined` was there before.
    Enqueued(Enqueued),
    /// No scheduler process has run on this database yet.
    NotBegun,
}

impl Schedule {
    pub fn find(name: &str) -> Option<&'static Self> {
        SCHEDULES.iter().find(|schedule| schedule.name == name)
    }

    /// The first tick after a time.
    pub fn next_tick(&self, after: Timestamp) -> Option<Timestamp> {
        cron::Schedule::from_str(self.cron).ok()?.after(&after).next()
    }

    /// Enqueues the task, even while the schedule is paused.
    pub async fn run_now(&self, work: &mut UnitOfWork) -> Result<RunNow, QueueError> {
        if schedule::find(work.tx(), self.name).await?.is_none() {
            return Ok(RunNow::NotBegun);
        }
        let task = PeriodicTask { schedule: self.name.to_owned(), tick: work.now() };
        let enqueued = Draft::without_guild(&task)?.once(self.name).enqueue(work).await?;
        if !enqueued.joined {
            schedule::set_job(work.tx(), self.name, enqueued.job).await?;
        }
        Ok(RunNow::Enqueued(enqueued))
    }
}
