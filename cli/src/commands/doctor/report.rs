//! The results of the checks, printed as a table or as one JSON object.

use entities::GuildId;
use runtime::StartError;
use serde_json::{Value, json};

use crate::format::FormatArgs;
use crate::output;

/// Why a check failed, and how to fix it.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) what: String,
    pub(super) cure: String,
}

impl Problem {
    pub(super) fn new(what: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { what: what.into(), cure: cure.into() }
    }
}

impl From<StartError> for Problem {
    /// The message of a start error already says what to do.
    fn from(error: StartError) -> Self {
        Self::new(error.to_string(), "correct the setting it names")
    }
}

struct Line {
    name: &'static str,
    guild: Option<GuildId>,
    outcome: Result<String, Problem>,
}

#[derive(Default)]
pub(super) struct Report {
    lines: Vec<Line>,
    guild: Option<GuildId>,
}

impl Report {
    /// Sets the guild of the checks that follow.
    pub(super) fn of_guild(&mut self, guild: Option<GuildId>) {
        self.guild = guild;
    }

    /// Records an outcome. `Ok` holds what later checks need, and the detail to print.
    pub(super) fn check<T>(
        &mut self,
        name: &'static str,
        outcome: Result<(T, String), Problem>,
    ) -> Option<T> {
        let (kept, outcome) = match outcome {
            Ok((kept, detail)) => (Some(kept), Ok(detail)),
            Err(problem) => (None, Err(problem)),
        };
        self.lines.push(Line { name, guild: self.guild, outcome });
        kept
    }

    pub(super) fn record(&mut self, name: &'static str, outcome: Result<String, Problem>) {
        self.check(name, outcome.map(|detail| ((), detail)));
    }

    /// Records only a failure.
    pub(super) fn record_failure<T>(&mut self, name: &'static str, outcome: Result<T, Problem>) -> Option<T> {
        outcome.map_err(|problem| self.record(name, Err(problem))).ok()
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn failed(&self) -> usize {
        self.lines.iter().filter(|line| line.outcome.is_err()).count()
    }

    pub(super) fn print(&self, format: FormatArgs) -> anyhow::Result<()> {
        let checks = || self.lines.iter().map(Line::json).collect::<Value>();
        format.print(
            || json!({ "ok": self.failed() == 0, "checks": checks() }),
            || output::table(["check", "guild", "result", ""], self.lines.iter().map(Line::cells)),
        )
    }
}

impl Line {
    fn cells(&self) -> [String; 4] {
        let guild = output::or_dash(self.guild);
        let (result, detail) = match &self.outcome {
            Ok(detail) => ("ok", detail.clone()),
            Err(problem) => ("failed", format!("{}; cure: {}", problem.what, problem.cure)),
        };
        [self.name.to_owned(), guild, result.to_owned(), detail]
    }

    fn json(&self) -> Value {
        let (detail, cure) = match &self.outcome {
            Ok(detail) => (detail, None),
            Err(problem) => (&problem.what, Some(&problem.cure)),
        };
        json!({ "name": self.name, "guild_id": self.guild, "ok": self.outcome.is_ok(), "detail": detail, "cure": cure })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_and_carry_their_cure() {
        let mut report = Report::default();
        assert_eq!(report.check("a", Ok((7, "fine".to_owned()))), Some(7));
        assert_eq!(report.record_failure("b", Ok(8)), Some(8));
        assert_eq!(report.check::<()>("c", Err(Problem::new("broken", "mend it"))), None);
        assert_eq!((report.len(), report.failed()), (2, 1));
        let json = report.lines[1].json();
        assert_eq!((&json["ok"], &json["cure"]), (&json!(false), &json!("mend it")));
        assert_eq!(report.lines[1].cells()[3], "broken; cure: mend it");
    }
}
