//! The simulated schedules: a mix of everything from each second to each hour.

use std::sync::LazyLock;

use entities::Timestamp;

use super::ledger::Tick;
use crate::schedules::Schedule;
use crate::ticks::latest_tick;

macro_rules! table {
    ($($name:literal: $cron:literal,)*) => {
        &[$(Schedule { name: $name, cron: $cron, run: |context| Box::pin(super::ledger::sweep(context, $name)) }),*]
    };
}

pub(super) static TABLE: &[Schedule] = table! {
    "second_a": "* * * * * *",
    "second_b": "* * * * * *",
    "second_c": "* * * * * *",
    "second_d": "* * * * * *",
    "second_e": "* * * * * *",
    "even": "*/2 * * * * *",
    "third": "*/3 * * * * *",
    "fifth": "*/5 * * * * *",
    "tenth": "*/10 * * * * *",
    "half_minute": "20,50 * * * * *",
    "minute": "5 * * * * *",
    "two_minutes": "15 */2 * * * *",
    "ten_minutes": "0 */10 * * * *",
    "hour": "0 17 * * * *",
};

type Times = (&'static str, cron::Schedule);

static TIMES: LazyLock<Vec<Times>> =
    LazyLock::new(|| TABLE.iter().map(|schedule| (schedule.name, schedule.cron.parse().unwrap())).collect());

/// The latest tick of each schedule on a clock that shows `now`.
pub(super) fn due(now: Timestamp) -> impl Iterator<Item = Tick> {
    TIMES.iter().filter_map(move |(name, cron)| Some((*name, latest_tick(cron, now)?)))
}
