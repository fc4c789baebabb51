//! Days in the guild's time zone, as `<input type="date">` gives them. The last day of a leave belongs to it.

use chrono::NaiveDate;
use chrono_tz::Tz;
use entities::{Timestamp, period};

use crate::visit::GuildVisit;

pub(super) fn zone(visit: &GuildVisit) -> Tz {
    period::zone(&visit.guild.settings())
}

/// The first moment of a day, or the exact time that an undo names.
pub(super) fn begin(text: &str, zone: Tz) -> Option<Timestamp> {
    let day = || text.parse().ok().map(|day: NaiveDate| period::start_of_day(day, zone));
    text.parse().ok().or_else(day)
}

/// The first moment after a day, or the exact time that an undo names.
pub(super) fn end(text: &str, zone: Tz) -> Option<Timestamp> {
    let next = || text.parse().ok().and_then(|day: NaiveDate| day.succ_opt());
    text.parse().ok().or_else(|| Some(period::start_of_day(next()?, zone)))
}

/// The day of a moment, as forms give it.
pub(super) fn day(at: Timestamp, zone: Tz) -> String {
    at.with_timezone(&zone).date_naive().to_string()
}

/// The last day before an end.
pub(super) fn last_day(end: Timestamp, zone: Tz) -> String {
    period::last_day(end, zone).to_string()
}

/// "1 Dec 2026 to 5 Dec 2026"
pub(super) fn span(starts: Timestamp, ends: Timestamp, zone: Tz) -> String {
    let (first, last) = (starts.with_timezone(&zone).date_naive(), period::last_day(ends, zone));
    let shown = |day: NaiveDate| day.format("%-d %b %Y").to_string();
    if first >= last { shown(first) } else { format!("{} to {}", shown(first), shown(last)) }
}

/// The text of a moment for the API.
pub(super) fn sent(at: Timestamp) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leave_has_whole_days_of_the_guild() {
        let zone = chrono_tz::Europe::Berlin;
        let (starts, ends) = (begin("2026-10-24", zone).unwrap(), end("2026-10-25", zone).unwrap());
        assert_eq!(
            (sent(starts).as_str(), sent(ends).as_str()),
            ("2026-10-23T22:00:00Z", "2026-10-25T23:00:00Z")
        );
        assert_eq!(span(starts, ends, zone), "24 Oct 2026 to 25 Oct 2026");
        assert_eq!(
            (day(starts, zone), last_day(ends, zone)),
            ("2026-10-24".to_owned(), "2026-10-25".to_owned())
        );
        assert_eq!(span(starts, end("2026-10-24", zone).unwrap(), zone), "24 Oct 2026");
        assert!(begin("24.10.2026", zone).is_none());
    }
}
