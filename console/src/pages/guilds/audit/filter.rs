//! Which entries are shown, from the address. Persons are named as on the form of a ban, and are found by both of their
//! accounts.

use chrono::{Days, NaiveDate, NaiveTime};
use entities::Timestamp;
use entities::audit_entry::{Filter, Source};

use crate::fields::Fields;
use crate::html::candidate::Unresolved;
use crate::pages::guilds::candidates::Among;
use crate::pages::guilds::typed::{accounts_of, resolve};
use crate::response::PageError;
use crate::visit::GuildVisit;

/// The choice of all actions that clients named themselves.
pub(super) const CUSTOM: &str = "custom";
/// Names of the service itself.
const SERVICE: [&str; 2] = ["guildhall", "service"];

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct AuditFilter {
    action: Option<String>,
    source: Option<Source>,
    actor: Option<i64>,
    /// Of one person: the ids of both accounts.
    targets: [Option<String>; 2],
    period: Period,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Period {
    from: Option<Timestamp>,
    until: Option<Timestamp>,
}

/// A field and what is wrong with it.
pub(super) type InvalidFilter = (&'static str, Unresolved);

impl AuditFilter {
    pub(super) async fn read(visit: &GuildVisit) -> Result<Result<Self, InvalidFilter>, PageError> {
        let fields = &visit.query;
        let period = match Period::read(fields) {
            Ok(period) => period,
            Err(wrong) => return Ok(Err(wrong)),
        };
        let actor = match actor(visit, fields).await? {
            Ok(actor) => actor,
            Err(problem) => return Ok(Err(("actor", problem))),
        };
        let custom = fields.text("action") == CUSTOM;
        let action = (fields.has("action") && !custom).then(|| fields.text("action").to_owned());
        let targets = targets(visit, fields).await?;
        Ok(Ok(Self { action, source: custom.then_some(Source::Custom), actor, targets, period }))
    }

    pub(super) fn listing(&self) -> Filter<'_> {
        Filter {
            action: self.action.as_deref(),
            actor: self.actor,
            target: self.targets[0].as_deref(),
            or_target: self.targets[1].as_deref(),
            from: self.period.from,
            until: self.period.until,
            source: self.source,
        }
    }
}

/// The Discord account of the typed person, which makes changes.
async fn actor(visit: &GuildVisit, fields: &Fields) -> Result<Result<Option<i64>, Unresolved>, PageError> {
    let typed = fields.text("actor");
    if typed.is_empty() {
        return Ok(Ok(None));
    }
    if SERVICE.contains(&typed.to_lowercase().as_str()) {
        return Ok(Ok(Some(0)));
    }
    let subject = match resolve(visit, fields, "actor", Among::Members).await? {
        Ok(subject) => subject,
        Err(problem) => return Ok(Err(problem)),
    };
    let person = accounts_of(visit, subject).await?;
    let unlinked = "This Roblox account is not linked. Give the Discord id: changes are made with it.";
    Ok(person.chat.map(|chat| Some(chat.get())).ok_or_else(|| unlinked.into()))
}

/// Both accounts of a person; any other text is the target itself.
async fn targets(visit: &GuildVisit, fields: &Fields) -> Result<[Option<String>; 2], PageError> {
    let typed = fields.text("target");
    if typed.is_empty() {
        return Ok([None, None]);
    }
    let subject = resolve(visit, fields, "target", Among::Everybody).await?.ok();
    let Some(subject) = subject else { return Ok([Some(typed.to_owned()), None]) };
    let person = accounts_of(visit, subject).await?;
    let mut ids = [person.chat.map(|chat| chat.to_string()), person.play.map(|play| play.to_string())];
    ids.sort_by_key(Option::is_none);
    Ok(ids)
}

impl Period {
    fn read(fields: &Fields) -> Result<Self, InvalidFilter> {
        let from = day(fields, "from")?;
        // The whole last day.
        let last = day(fields, "to")?.and_then(|day| day.checked_add_days(Days::new(1)));
        let begin = |day: NaiveDate| day.and_time(NaiveTime::MIN).and_utc();
        if from.zip(last).is_some_and(|(from, last)| from >= last) {
            return Err(("to", "The last day must not be before the first one.".into()));
        }
        Ok(Self { from: from.map(begin), until: last.map(begin) })
    }
}

fn day(fields: &Fields, name: &'static str) -> Result<Option<NaiveDate>, InvalidFilter> {
    if !fields.has(name) {
        return Ok(None);
    }
    let day = fields.read::<NaiveDate>(name);
    day.map(Some).ok_or_else(|| (name, "Give a day such as 2026-04-12.".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Period, InvalidFilter> {
        Period::read(&Fields::of(pairs))
    }

    #[test]
    fn a_period_has_its_whole_last_day() {
        let period = read(&[("from", "2026-04-12"), ("to", "2026-04-12")]).unwrap();
        assert_eq!(period.from.unwrap().to_rfc3339(), "2026-04-12T00:00:00+00:00");
        assert_eq!(period.until.unwrap().to_rfc3339(), "2026-04-13T00:00:00+00:00");
    }

    #[test]
    fn what_cannot_be_read_is_said_at_its_field() {
        assert_eq!(read(&[("from", "yesterday")]).unwrap_err().0, "from");
        assert_eq!(read(&[("from", "2026-04-12"), ("to", "2026-04-11")]).unwrap_err().0, "to");
    }
}
