//! Estimates when a job with steps ends, from its speed so far.
//!
//! A chunk writes its progress each second or every fifty steps. The speed is the steps done, divided by the time
//! from the first step to the last of these updates. The estimate is the remaining steps divided by the speed, minus
//! the time since that update: between updates it counts down.
//!
//! The first steps are not representative: an estimate needs a twentieth of the steps, or five seconds.
//!
//! A bulk job first plans, which is much faster than its writes. Its checkpoint records when the writes began and how
//! many steps were done by then ([`begun`]); before that there is no estimate.

use std::time::Duration;

use entities::Timestamp;
use entities::job::{Class, Model};
use serde_json::{Value, json};

/// After this time there is an estimate, however many steps are done.
const ESTIMATE_AFTER: Duration = Duration::from_secs(5);
/// Alternatively, after one of this many parts of the steps.
const ESTIMATE_STEPS_DIVISOR: i64 = 20;

/// The checkpoint of a bulk job whose plan is complete: its chunks run from `now` on, with `done` steps already done.
pub fn begun(now: Timestamp, done: i64) -> Value {
    json!({ "since_ms": now.timestamp_millis(), "base": done })
}

/// The time left at the speed so far. `None`: the job has ended, has no steps, or its speed is not known yet.
pub fn eta(job: &Model, now: Timestamp) -> Option<Duration> {
    let (since, base) = measured_from(job)?;
    let noted = job.progress_at?;
    let left = job.progress_total - job.progress_done;
    let steps = job.progress_done - base;
    let took = (noted - since).to_std().ok()?;
    let known =
        took >= ESTIMATE_AFTER || steps.saturating_mul(ESTIMATE_STEPS_DIVISOR) >= job.progress_total - base;
    if !job.state.is_open() || steps <= 0 || left < 0 || took.is_zero() || !known {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "no job has 2^52 steps")]
    let rest = took.mul_f64(left as f64 / steps as f64);
    Some(rest.saturating_sub((now - noted).to_std().unwrap_or_default()))
}

/// Steps a second so far, or over the whole run of a job that has ended. `None`: not known yet.
pub fn pace(job: &Model) -> Option<f64> {
    let (since, base) = measured_from(job).or(Some((job.started_at?, 0)))?;
    let until = job.finished_at.or(job.progress_at)?;
    let steps = u32::try_from(job.progress_done - base).ok().filter(|steps| *steps > 0)?;
    let seconds = (until - since).to_std().ok()?.as_secs_f64();
    (seconds > 0.0).then(|| f64::from(steps) / seconds)
}

/// The time from which the speed is measured, and the steps done by then.
fn measured_from(job: &Model) -> Option<(Timestamp, i64)> {
    let number = |name: &str| job.checkpoint.as_ref()?.get(name)?.as_i64();
    if let Some(since) = number("since_ms") {
        return Some((Timestamp::from_timestamp_millis(since)?, number("base")?));
    }
    (job.class != Class::Bulk).then_some((job.started_at?, 0))
}

#[cfg(test)]
mod tests;
