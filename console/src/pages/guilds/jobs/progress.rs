//! Progress of a job: the bar, the rate and the time left.

use chrono::TimeDelta;
use entities::Timestamp;
use entities::job::Model;

use crate::html::format::{Length, Number};

pub(in crate::pages::guilds) struct Progress {
    pub(in crate::pages::guilds) done: i64,
    pub(in crate::pages::guilds) total: i64,
    pub(in crate::pages::guilds) words: String,
    /// "12 a second"; empty: not known yet.
    pub(in crate::pages::guilds) pace: String,
    /// Of a job that is not finished.
    pub(in crate::pages::guilds) left: Option<Length>,
}

impl Progress {
    /// `None`: the job has no steps.
    pub(in crate::pages::guilds) fn of(job: &Model, now: Timestamp) -> Option<Self> {
        let (done, total, failed) = (job.progress_done, job.progress_total, job.progress_failed);
        let failures = if failed > 0 { format!(", {} failed", Number(failed)) } else { String::new() };
        let words = format!("{} of {} done{failures}", Number(done), Number(total));
        let left = queue::eta(job, now).and_then(|left| TimeDelta::from_std(left).ok());
        let pace = queue::pace(job).map(rate).unwrap_or_default();
        (total > 0).then_some(Self { done, total, words, pace, left: left.map(Length) })
    }
}

/// "812 of 5,000", for lists.
pub(super) fn short(job: &Model) -> String {
    match job.progress_total {
        0 | 1 => String::new(),
        total => format!("{} of {}", Number(job.progress_done), Number(total)),
    }
}

fn rate(pace: f64) -> String {
    if pace >= 1.0 {
        format!("{pace:.0} a second")
    } else {
        format!("{:.0} a minute", (pace * 60.0).max(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_pace_is_said_by_the_minute() {
        assert_eq!(
            [38.4, 1.0, 0.5, 0.0001].map(rate),
            ["38 a second", "1 a second", "30 a minute", "1 a minute"]
        );
    }
}
