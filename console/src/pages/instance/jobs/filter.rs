//! Which jobs the list shows, from the address.

use entities::GuildId;
use entities::job::listing::Filter;
use entities::job::retry::Which;
use entities::job::{Class, State, Status};

use super::title;
use crate::fields::Fields;

pub(super) const FIELDS: [&str; 4] = ["state", "kind", "class", "guild"];

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct JobFilter {
    status: Option<Status>,
    kind: Option<String>,
    class: Option<Class>,
    guild: Option<GuildId>,
}

impl JobFilter {
    /// The error is for the person. Unknown states and classes are ignored: the form offers the known ones.
    pub(super) fn of(fields: &Fields) -> Result<Self, String> {
        let guild = fields.has("guild").then(|| fields.read("guild").ok_or_else(no_id)).transpose()?;
        Ok(Self {
            status: fields.read("state"),
            kind: fields.has("kind").then(|| fields.text("kind").to_owned()),
            class: fields.read("class"),
            guild,
        })
    }

    pub(super) fn listing(&self) -> Filter<'_> {
        Filter { guild: self.guild, status: self.status, kind: self.kind.as_deref(), class: self.class }
    }

    /// There are thousands of successful periodic jobs a day: they are shown only on request.
    pub(super) fn is_of_guilds(&self) -> bool {
        let may_be_many = matches!(self.status, None | Some(Status::Succeeded));
        may_be_many && self.kind.is_none() && self.class.is_none()
    }

    /// The text of an empty list; `None`: more than the state is chosen.
    pub(super) fn only_status(&self) -> Option<Status> {
        self.status.filter(|_| self.kind.is_none() && self.class.is_none() && self.guild.is_none())
    }

    /// The failed or dead jobs that a bulk retry takes.
    pub(super) fn to_retry(&self) -> Option<Which<'_>> {
        let state = match self.status {
            Some(Status::Failed) => State::Failed,
            Some(Status::Dead) => State::Dead,
            _ => return None,
        };
        Some(Which { state: Some(state), kind: self.kind.as_deref(), class: self.class, guild: self.guild })
    }

    /// "dead jobs of kind "Sync of one member" of server 17"
    pub(super) fn words(&self) -> String {
        let state = self.status.map_or("", Status::name);
        let kind =
            self.kind.as_ref().map(|kind| format!(" of kind \"{}\"", title::words(kind))).unwrap_or_default();
        let class = self.class.map(|class| format!(" of class {}", class.name())).unwrap_or_default();
        let guild = self.guild.map(|guild| format!(" of server {guild}")).unwrap_or_default();
        format!("{state} jobs{kind}{class}{guild}")
    }
}

fn no_id() -> String {
    "Enter the id of a job, or of a Discord server: digits only.".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failed_or_dead_jobs_are_retried_together() {
        let read = |state| {
            JobFilter::of(&Fields::of(&[("state", state), ("kind", "sync_all"), ("guild", "17")])).unwrap()
        };
        let dead = read("dead");
        assert_eq!(dead.words(), "dead jobs of kind \"Sync of all members\" of server 17");
        assert_eq!(dead.to_retry().unwrap().state, Some(State::Dead));
        assert!(read("running").to_retry().is_none() && read("").to_retry().is_none());
    }

    #[test]
    fn periodic_jobs_are_shown_where_they_are_asked_for() {
        let is_of_guilds = |fields: &[_]| JobFilter::of(&Fields::of(fields)).unwrap().is_of_guilds();
        assert!(is_of_guilds(&[]) && is_of_guilds(&[("state", "succeeded"), ("guild", "17")]));
        for asked in [("kind", "periodic_task"), ("class", "maintenance"), ("state", "dead")] {
            assert!(!is_of_guilds(&[asked]), "{asked:?}");
        }
    }

    #[test]
    fn a_wrong_id_is_refused_and_unknown_words_filter_nothing() {
        assert!(JobFilter::of(&Fields::of(&[("guild", "the club")])).is_err());
        let filter = JobFilter::of(&Fields::of(&[("state", "x"), ("class", "y")])).unwrap();
        assert_eq!(filter, JobFilter::default());
    }
}
