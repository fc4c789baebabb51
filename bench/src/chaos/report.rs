//! The report of a run.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::caller::{CallOutcome, CallResult};
use super::faults::FaultCounts;
use super::judge::Verdict;
use super::plan::Plan;

/// The result of a run; the module's page defines the counts.
#[derive(Debug)]
pub struct Report {
    /// With the seed that was drawn.
    pub(super) plan: Plan,
    pub calls: CallCounts,
    pub verdict: Verdict,
    pub faults: FaultCounts,
    pub(super) ended_by_themselves: Vec<String>,
    /// Time until the last call was answered.
    pub(super) answered_after: Duration,
    /// Time until the last job ended.
    pub(super) over_after: Duration,
}

/// The calls as their callers saw them.
#[derive(Debug, Default)]
pub struct CallCounts {
    pub attempted: usize,
    pub accepted: usize,
    /// Counts by answer.
    refused: BTreeMap<String, usize>,
    unknown: usize,
    requests: usize,
    /// Why requests were repeated, and how often.
    repeats: BTreeMap<String, usize>,
}

impl CallCounts {
    pub(super) fn of(results: &[CallResult]) -> Self {
        let mut counts = Self { attempted: results.len(), ..Self::default() };
        for result in results {
            counts.requests += result.requests;
            for (why, times) in &result.repeats {
                *counts.repeats.entry(why.clone()).or_default() += times;
            }
            match &result.outcome {
                CallOutcome::Accepted => counts.accepted += 1,
                CallOutcome::Refused(word) => *counts.refused.entry(word.clone()).or_default() += 1,
                CallOutcome::Unknown => counts.unknown += 1,
            }
        }
        counts
    }
}

impl Report {
    /// No call lost, doubled, unasked or unrecorded, none refused, and no process ended without a kill.
    pub fn is_sound(&self) -> bool {
        let Verdict { lost, doubled, unasked, unrecorded, .. } = self.verdict;
        lost + doubled + unasked + unrecorded == 0
            && self.ended_by_themselves.is_empty()
            && self.calls.refused.is_empty()
    }

    pub fn killed(&self) -> usize {
        self.faults.kills.values().sum()
    }
}

/// `3 worker, 2 scheduler`
fn listed<K: fmt::Display>(counts: &BTreeMap<K, usize>) -> String {
    if counts.is_empty() {
        return "none".to_owned();
    }
    counts.iter().map(|(what, times)| format!("{times} {what}")).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, calls, verdict, faults, .. } = self;
        for line in &faults.log {
            writeln!(f, "{line}")?;
        }
        #[expect(clippy::cast_precision_loss, reason = "a printed rate")]
        let rate = calls.attempted as f64 / self.answered_after.as_secs_f64();
        let mode = if plan.embedded { "embedded" } else { "distributed" };
        let (answered, over) = (self.answered_after, self.over_after);
        writeln!(f, "chaos test, {mode}, seed {}", plan.seed.unwrap_or_default())?;
        writeln!(
            f,
            "all calls answered after {answered:.0?} ({rate:.0}/s), all jobs ended after {over:.0?}"
        )?;
        writeln!(f, "killed     {} processes ({})", self.killed(), listed(&faults.kills))?;
        writeln!(f, "           all of a role at once: {}", listed(&faults.role_kills))?;
        writeln!(f, "           the broker: {}", faults.broker_kills)?;
        writeln!(f, "stalled    Redis {} times for 2 s", faults.redis_stalls)?;
        writeln!(f, "skewed     the first worker's clock by {} s", plan.skew_seconds)?;
        writeln!(f, "attempted  {}", calls.attempted)?;
        writeln!(f, "accepted   {}", calls.accepted)?;
        writeln!(f, "refused    {}", listed(&calls.refused))?;
        writeln!(f, "unknown    {}", calls.unknown)?;
        writeln!(f, "finished   {}", verdict.finished)?;
        writeln!(f, "lost       {}", verdict.lost)?;
        writeln!(f, "doubled    {}", verdict.doubled)?;
        writeln!(f, "unasked    {}", verdict.unasked)?;
        writeln!(f, "repeated   {} (updates without a change)", verdict.repeated)?;
        writeln!(f, "unrecorded {} (effects without their audit entry)", verdict.unrecorded)?;
        writeln!(f, "requests   {}; repeated for: {}", calls.requests, listed(&calls.repeats))?;
        writeln!(f, "jobs claimed again after an interrupted run: {}", verdict.claimed_again)?;
        for ended in &self.ended_by_themselves {
            writeln!(f, "ENDED BY ITSELF: {ended}")?;
        }
        for finding in &verdict.findings {
            writeln!(f, "{finding}")?;
        }
        Ok(())
    }
}
