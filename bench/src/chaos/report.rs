//! The report of a run.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::caller::{Fate, Told};
use super::judge::Verdict;
use super::kills::Strikes;
use super::plan::Plan;

/// The result of a run; the module's page defines the counts.
#[derive(Debug, Default)]
pub struct Report {
    pub seed: u64,
    pub embedded: bool,
    pub attempted: usize,
    pub accepted: usize,
    /// Counts by answer.
    pub refused: BTreeMap<String, usize>,
    pub unknown: usize,
    pub finished: usize,
    pub lost: usize,
    pub doubled: usize,
    pub unasked: usize,
    pub repeated: usize,
    pub unrecorded: usize,
    /// Jobs claimed again after an interrupted run.
    pub claimed_again: usize,
    pub requests: usize,
    /// Why requests were repeated, and how often.
    pub repeats: BTreeMap<String, usize>,
    /// Processes killed, by role.
    pub kills: BTreeMap<&'static str, usize>,
    /// How often all processes of a role were dead at once.
    pub wholes: BTreeMap<&'static str, usize>,
    pub broker_kills: usize,
    pub redis_stalls: usize,
    pub skew_seconds: i64,
    pub ended_by_themselves: Vec<String>,
    /// Each kill with its time.
    pub log: Vec<String>,
    /// Examples of findings, at most a handful.
    pub findings: Vec<String>,
    /// Time until the last call was answered.
    pub answered_after: Duration,
    /// Time until the last job ended.
    pub over_after: Duration,
}

impl Report {
    pub(super) fn new(
        plan: &Plan,
        verdict: Verdict,
        (told, strikes): (&[Told], Strikes),
        ended_by_themselves: Vec<String>,
    ) -> Self {
        let mut report = Self {
            embedded: plan.embedded,
            attempted: told.len(),
            finished: verdict.finished,
            lost: verdict.lost,
            doubled: verdict.doubled,
            unasked: verdict.unasked,
            repeated: verdict.repeated,
            unrecorded: verdict.unrecorded,
            claimed_again: verdict.claimed_again,
            findings: verdict.findings,
            kills: strikes.processes,
            wholes: strikes.wholes,
            broker_kills: strikes.broker,
            redis_stalls: strikes.redis,
            skew_seconds: plan.skew_seconds,
            log: strikes.log,
            answered_after: strikes.answered_after,
            over_after: strikes.over_after,
            ended_by_themselves,
            ..Self::default()
        };
        told.iter().for_each(|told| report.count(told));
        report
    }

    fn count(&mut self, told: &Told) {
        self.requests += told.requests;
        for (why, times) in &told.repeats {
            *self.repeats.entry(why.clone()).or_default() += times;
        }
        match &told.fate {
            Fate::Accepted => self.accepted += 1,
            Fate::Refused(word) => *self.refused.entry(word.clone()).or_default() += 1,
            Fate::Unknown => self.unknown += 1,
        }
    }

    /// No call lost, doubled, unasked or unrecorded, and no process ended without a kill.
    pub fn is_sound(&self) -> bool {
        self.lost + self.doubled + self.unasked + self.unrecorded == 0
            && self.ended_by_themselves.is_empty()
            && self.refused.is_empty()
    }

    /// Processes killed.
    pub fn killed(&self) -> usize {
        self.kills.values().sum()
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
        for line in &self.log {
            writeln!(f, "{line}")?;
        }
        #[expect(clippy::cast_precision_loss, reason = "a printed rate")]
        let rate = self.attempted as f64 / self.answered_after.as_secs_f64();
        let mode = if self.embedded { "embedded" } else { "distributed" };
        writeln!(f, "chaos test, {mode}, seed {}", self.seed)?;
        writeln!(
            f,
            "all calls answered after {:.0?} ({rate:.0}/s), all jobs over after {:.0?}",
            self.answered_after, self.over_after
        )?;
        writeln!(f, "killed     {} processes ({})", self.killed(), listed(&self.kills))?;
        writeln!(
            f,
            "           all of a role at once: {}; the broker: {}",
            listed(&self.wholes),
            self.broker_kills
        )?;
        writeln!(
            f,
            "stalled    Redis {} times for 2 s; the first worker's clock is {} s off",
            self.redis_stalls, self.skew_seconds
        )?;
        writeln!(f, "attempted  {}", self.attempted)?;
        writeln!(f, "accepted   {}", self.accepted)?;
        writeln!(f, "refused    {}", listed(&self.refused))?;
        writeln!(f, "unknown    {}", self.unknown)?;
        writeln!(f, "finished   {}", self.finished)?;
        writeln!(f, "lost       {}", self.lost)?;
        writeln!(f, "doubled    {}", self.doubled)?;
        writeln!(f, "unasked    {}", self.unasked)?;
        writeln!(f, "repeated   {} (updates that set what was set already)", self.repeated)?;
        writeln!(f, "unrecorded {} (effects without their audit entry)", self.unrecorded)?;
        writeln!(f, "requests   {}; repeated for: {}", self.requests, listed(&self.repeats))?;
        writeln!(f, "jobs claimed again after a run that did not end: {}", self.claimed_again)?;
        for ended in &self.ended_by_themselves {
            writeln!(f, "ENDED BY ITSELF: {ended}")?;
        }
        for finding in &self.findings {
            writeln!(f, "{finding}")?;
        }
        Ok(())
    }
}
