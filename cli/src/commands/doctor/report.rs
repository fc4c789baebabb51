//! What the checks came to, as lines for people or one object for programs.

use entities::GuildId;
use runtime::StartError;
use serde_json::{Value, json};

use crate::output::{self, Table};

/// Why a check failed, and what to do about it.
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
    /// These errors say what to do themselves.
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
    /// Checks from here on are of this guild.
    pub(super) fn of_guild(&mut self, guild: Option<GuildId>) {
        self.guild = guild;
    }

    /// Notes the outcome; `Ok` holds what later checks need, and what to say.
    pub(super) fn check<T>(
        &mut self,
        name: &'static str,
        outcome: Result<(T, String), Problem>,
    ) -> Option<T> {
        let (kept, outcome) = match outcome {
            Ok((kept, said)) => (Some(kept), Ok(said)),
            Err(problem) => (None, Err(problem)),
        };
        self.lines.push(Line { name, guild: self.guild, outcome });
        kept
    }

    pub(super) fn say(&mut self, name: &'static str, outcome: Result<String, Problem>) {
        self.check(name, outcome.map(|said| ((), said)));
    }

    /// Notes the outcome only where it is a problem.
    pub(super) fn quietly<T>(&mut self, name: &'static str, outcome: Result<T, Problem>) -> Option<T> {
        outcome.map_err(|problem| self.say(name, Err(problem))).ok()
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn failed(&self) -> usize {
        self.lines.iter().filter(|line| line.outcome.is_err()).count()
    }

    pub(super) fn print(&self, as_json: bool) -> anyhow::Result<()> {
        if as_json {
            let checks: Vec<Value> = self.lines.iter().map(Line::json).collect();
            return output::print(&json!({ "ok": self.failed() == 0, "checks": checks }).to_string());
        }
        let mut table = Table::new(&["check", "guild", "result", ""]);
        for line in &self.lines {
            table.row(&line.cells());
        }
        output::print(&table.render())
    }
}

impl Line {
    fn cells(&self) -> [String; 4] {
        let guild = self.guild.map_or_else(|| "-".to_owned(), |guild| guild.to_string());
        let (result, said) = match &self.outcome {
            Ok(said) => ("ok", said.clone()),
            Err(problem) => ("failed", format!("{}; cure: {}", problem.what, problem.cure)),
        };
        [self.name.to_owned(), guild, result.to_owned(), said]
    }

    fn json(&self) -> Value {
        let (detail, cure) = match &self.outcome {
            Ok(said) => (said, None),
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
        assert_eq!(report.quietly("b", Ok(8)), Some(8));
        assert_eq!(report.check::<()>("c", Err(Problem::new("broken", "mend it"))), None);
        assert_eq!((report.len(), report.failed()), (2, 1));
        let json = report.lines[1].json();
        assert_eq!((&json["ok"], &json["cure"]), (&json!(false), &json!("mend it")));
        assert_eq!(report.lines[1].cells()[3], "broken; cure: mend it");
    }
}
