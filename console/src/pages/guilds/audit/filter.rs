//! Which entries are shown, from the address.

use chrono::{Days, NaiveDate, NaiveTime};
use entities::Timestamp;
use entities::audit_entry::Filter;

use crate::fields::Fields;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct AuditFilter {
    action: Option<String>,
    actor: Option<i64>,
    target: Option<String>,
    from: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl AuditFilter {
    /// The error names its field and what is wrong.
    pub(super) fn read(fields: &Fields) -> Result<Self, (&'static str, String)> {
        let text = |name| fields.has(name).then(|| fields.text(name).to_owned());
        let actor = match fields.text("actor") {
            "" => None,
            "service" => Some(0),
            id => Some(id.parse().map_err(|_| ("actor", "Give a Discord id, or service.".to_owned()))?),
        };
        let from = day(fields, "from")?;
        // The whole last day.
        let last = day(fields, "to")?.and_then(|day| day.checked_add_days(Days::new(1)));
        let begin = |day: NaiveDate| day.and_time(NaiveTime::MIN).and_utc();
        if from.zip(last).is_some_and(|(from, last)| from >= last) {
            return Err(("to", "The last day must not be before the first one.".to_owned()));
        }
        Ok(Self {
            action: text("action"),
            actor,
            target: text("target"),
            from: from.map(begin),
            until: last.map(begin),
        })
    }

    pub(super) fn listing(&self) -> Filter<'_> {
        Filter {
            action: self.action.as_deref(),
            actor: self.actor,
            target: self.target.as_deref(),
            from: self.from,
            until: self.until,
            source: None,
        }
    }
}

fn day(fields: &Fields, name: &'static str) -> Result<Option<NaiveDate>, (&'static str, String)> {
    if !fields.has(name) {
        return Ok(None);
    }
    let day = fields.read::<NaiveDate>(name);
    day.map(Some).ok_or_else(|| (name, "Give a day such as 2026-04-12.".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<AuditFilter, (&'static str, String)> {
        AuditFilter::read(&Fields::of(pairs))
    }

    #[test]
    fn a_period_has_its_whole_last_day() {
        let filter = read(&[("from", "2026-04-12"), ("to", "2026-04-12"), ("actor", "service")]).unwrap();
        let listing = filter.listing();
        assert_eq!(listing.from.unwrap().to_rfc3339(), "2026-04-12T00:00:00+00:00");
        assert_eq!(listing.until.unwrap().to_rfc3339(), "2026-04-13T00:00:00+00:00");
        assert_eq!((listing.actor, listing.action), (Some(0), None));
    }

    #[test]
    fn what_cannot_be_read_is_said_at_its_field() {
        assert_eq!(read(&[("from", "yesterday")]).unwrap_err().0, "from");
        assert_eq!(read(&[("actor", "ann")]).unwrap_err().0, "actor");
        assert_eq!(read(&[("from", "2026-04-12"), ("to", "2026-04-11")]).unwrap_err().0, "to");
    }
}
