//! A preview: the changes of members, from the result of a dry run.

use chrono::TimeDelta;
use entities::JobId;
use entities::job::{Model, State, listing};
use people::labels::of_people;
use serde_json::Value;

use super::super::jobs::names::{Mark, is_preview};
use super::changes::{self, Change};
use crate::html::format::{Count, Number, When};
use crate::html::list::skipped;
use crate::response::PageError;
use crate::visit::GuildVisit;

/// Changes of one page.
const SHOWN: usize = 50;
/// An older preview is outdated.
const FRESH_FOR: TimeDelta = TimeDelta::hours(1);

pub(super) struct Preview {
    pub(super) job: String,
    pub(super) state: Mark,
    pub(super) made: When,
    /// Not finished yet.
    pub(super) open: bool,
    /// Why there is no result; empty: there is one, or it is being made.
    pub(super) problem: String,
    pub(super) counts: Counts,
    pub(super) changes: Vec<Change>,
    /// "1 to 50 of 812 members".
    pub(super) shown: String,
    /// Members that are not listed.
    pub(super) unlisted: Option<String>,
    pub(super) next: Option<String>,
    /// The safety limit of the preview would stop the run.
    pub(super) too_many: bool,
    /// A sync has changed members since.
    pub(super) is_old: bool,
}

/// What a run would change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) members: i64,
    pub(super) planned: i64,
    pub(super) additions: i64,
    pub(super) removals: i64,
    pub(super) losing: i64,
    pub(super) nicknames: i64,
    /// Linked, but not members of the Discord server.
    pub(super) outside: i64,
}

impl Counts {
    pub(super) fn of(result: &Value) -> Self {
        let number = |name: &str| result[name].as_i64().unwrap_or_default();
        Self {
            members: number("members"),
            planned: number("planned"),
            additions: number("role_additions"),
            removals: number("role_removals"),
            losing: number("members_losing"),
            nicknames: number("nicknames"),
            outside: number("not_in_guild"),
        }
    }

    /// "Remove 1,204 roles from 812 members"
    pub(super) fn loss(&self) -> String {
        format!("Remove {} from {}", Count(self.removals, "role"), Count(self.losing, "member"))
    }

    /// The title of the run: its removals, or else its additions.
    pub(super) fn headline(&self) -> String {
        match (self.removals, self.additions, self.nicknames) {
            (0, 0, 0) => "Nothing to change".to_owned(),
            (0, 0, named) => format!("Set {}", Count(named, "nickname")),
            (0, given, 0) => format!("Give {}", Count(given, "role")),
            (0, given, named) => {
                format!("Give {} and set {}", Count(given, "role"), Count(named, "nickname"))
            }
            _ => self.loss(),
        }
    }

    /// The button of the run, a verb with its object.
    pub(super) fn button(&self) -> String {
        if self.planned == 0 { "Run the sync".to_owned() } else { self.headline() }
    }

    /// "3 of the 500 linked members are not in the Discord server"; empty: all of them are.
    pub(super) fn outside(&self) -> String {
        let linked = Count(self.members + self.outside, "linked member");
        let verb = if self.outside == 1 { "is" } else { "are" };
        match self.outside {
            0 => String::new(),
            outside => format!("{} of the {linked} {verb} not in the Discord server", Number(outside)),
        }
    }

    pub(super) fn takes_roles(&self) -> bool {
        self.removals > 0
    }

    /// "give 3 roles and set 1 nickname"
    pub(super) fn gain(&self) -> String {
        format!("give {} and set {}", Count(self.additions, "role"), Count(self.nicknames, "nickname"))
    }
}

impl Preview {
    /// The one that the address names.
    pub(super) async fn find(visit: &GuildVisit, jobs: &[Model]) -> Result<Option<Self>, PageError> {
        let Some(named) = visit.query.read::<JobId>("preview") else { return Ok(None) };
        match listing::find(visit.read(), visit.guild.guild_id, named).await?.filter(is_preview) {
            Some(job) => Ok(Some(Self::of(visit, &job, jobs).await?)),
            None => Ok(None),
        }
    }

    async fn of(visit: &GuildVisit, job: &Model, jobs: &[Model]) -> Result<Self, PageError> {
        let result = job.result.clone().unwrap_or_default();
        let sample = result["sample"].as_array().cloned().unwrap_or_default();
        let counts = Counts::of(&result);
        let from = skipped(&visit.query).min(sample.len());
        let until = (from + SHOWN).min(sample.len());
        let listed = i64::try_from(sample.len()).unwrap_or(i64::MAX);
        let named = visit.query.and("preview", &job.job_id.to_string());
        let next = (until < sample.len()).then(|| named.with("skip", &until.to_string()) + "#changes");
        Ok(Self {
            job: visit.url(&format!("/jobs/{}", job.job_id)),
            state: Mark::of(job.status(visit.now())),
            made: visit.when(job.finished_at.unwrap_or(job.created_at)),
            open: job.state.is_open(),
            problem: job.failure().map(|failure| of_people(&failure.message)).unwrap_or_default(),
            counts,
            changes: changes::of(visit, changes::sampled(&sample[from..until])).await?,
            shown: format!(
                "{} to {} of {}",
                Number(from + 1),
                Number(until),
                Count(counts.planned, "member")
            ),
            unlisted: (counts.planned > listed && until == sample.len())
                .then(|| more_members(counts.planned - listed)),
            next,
            is_old: jobs.iter().any(|run| has_changed_since(run, job)),
            too_many: result["too_many_removals"] == Value::Bool(true),
        })
    }
}

fn more_members(count: i64) -> String {
    format!("{} {}", Count(count, "more member"), if count == 1 { "is" } else { "are" })
}

/// The newest finished preview of the last hour, unless a sync has changed members since.
pub(super) fn newest<'j>(visit: &GuildVisit, jobs: &'j [Model]) -> Option<&'j Model> {
    let fresh = |job: &&Model| job.finished_at.is_some_and(|at| at + FRESH_FOR > visit.now());
    let preview = jobs.iter().filter(|job| job.state == State::Succeeded && is_preview(job)).find(fresh)?;
    (!jobs.iter().any(|run| has_changed_since(run, preview))).then_some(preview)
}

/// A run that ended after the preview was made, and has changed members.
fn has_changed_since(run: &Model, preview: &Model) -> bool {
    let updated = run.result.as_ref().and_then(|result| result["updated"].as_i64()).unwrap_or_default();
    !is_preview(run) && updated > 0 && run.finished_at > preview.finished_at
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_goes_is_named_in_numbers() {
        let result =
            json!({ "role_removals": 1_204, "members_losing": 812, "role_additions": 1, "nicknames": 0 });
        let counts = Counts::of(&result);
        assert_eq!(counts.loss(), "Remove 1,204 roles from 812 members");
        assert_eq!(counts.gain(), "give 1 role and set 0 nicknames");
    }

    #[test]
    fn members_outside_the_server_explain_the_difference_of_the_counts() {
        let counts = Counts { members: 497, outside: 3, ..Counts::default() };
        assert_eq!(counts.outside(), "3 of the 500 linked members are not in the Discord server");
        let one = Counts { members: 1, outside: 1, ..Counts::default() };
        assert_eq!(one.outside(), "1 of the 2 linked members is not in the Discord server");
        assert_eq!(
            (Counts::default().outside().as_str(), Counts::default().button().as_str()),
            ("", "Run the sync")
        );
        let given = Counts { planned: 2, additions: 2, ..Counts::default() };
        assert_eq!(given.button(), "Give 2 roles");
    }
}
