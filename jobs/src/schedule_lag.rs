//! How far the schedules are behind, read when somebody asks.

use entities::job::{listing, time};
use entities::{Timestamp, schedule};
use runtime::{Context, Gauge};
use sea_orm::DbErr;

use crate::schedules::{SCHEDULES, Schedule};

/// Of each schedule; 0 before the first scheduler has run.
pub async fn gauges(context: &Context) -> Result<Vec<Gauge>, DbErr> {
    let (conn, own) = (context.database.read(), context.clock.now());
    let now = time::read(conn, own).await?;
    let rows = schedule::list(conn).await?;
    let jobs: Vec<_> = rows.iter().filter_map(|row| row.job_id).collect();
    let unfinished = listing::unfinished(conn, &jobs).await?;
    let lag = |schedule: &Schedule| {
        let row = rows.iter().find(|row| row.name == schedule.name)?;
        let job = row.job_id.and_then(|job| unfinished.get(&job).copied());
        let behind = now - oldest_tick(schedule, row, job, now)?;
        behind.to_std().ok()
    };
    let gauge = |schedule: &Schedule| {
        let seconds = lag(schedule).unwrap_or_default().as_secs_f64();
        Gauge::new("guildhall_schedule_lag_seconds", seconds).with("schedule", schedule.name)
    };
    Ok(SCHEDULES.iter().map(gauge).collect())
}

/// When the oldest tick was due that is not done; `job` is when the unfinished job of an earlier tick was enqueued.
fn oldest_tick(
    schedule: &Schedule,
    row: &schedule::Model,
    job: Option<Timestamp>,
    now: Timestamp,
) -> Option<Timestamp> {
    let missed = schedule.next_tick(row.last_tick).filter(|tick| !row.paused && *tick <= now);
    job.into_iter().chain(missed).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_is_behind_since_its_first_missed_tick_or_its_unfinished_job() {
        let at = |text: &str| -> Timestamp { text.parse().unwrap() };
        let schedule = Schedule::find("sanctions").unwrap();
        let mut row = schedule::Model {
            name: schedule.name.to_owned(),
            paused: false,
            last_tick: at("2026-11-22T12:00:05Z"),
            job_id: None,
        };
        let (early, late) = (at("2026-11-22T12:01:04Z"), at("2026-11-22T12:03:00Z"));
        assert_eq!(oldest_tick(schedule, &row, None, early), None, "the next tick is not due");
        assert_eq!(oldest_tick(schedule, &row, None, late), Some(at("2026-11-22T12:01:05Z")));
        let job = Some(row.last_tick);
        assert_eq!(oldest_tick(schedule, &row, job, early), job);
        assert_eq!(oldest_tick(schedule, &row, job, late), job);
        row.paused = true;
        assert_eq!(oldest_tick(schedule, &row, None, late), None, "nobody waits for a paused one");
    }
}
