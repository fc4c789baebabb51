//! A guild's current day, week or month, and the one before: in its time zone, weeks from its first day (docs/rules.md 6).

use chrono::{Datelike, Days, LocalResult, NaiveDate, NaiveTime, TimeDelta, TimeZone};
use chrono_tz::Tz;

use crate::Timestamp;
use crate::guild::Settings;
use crate::quota::Period;

/// Only a name from a newer time zone database can be unknown.
pub fn zone(settings: &Settings) -> Tz {
    settings.time_zone.parse().unwrap_or(Tz::UTC)
}

/// The last day before an end, which may be the first moment of the next one.
pub fn last_day(end: Timestamp, zone: Tz) -> NaiveDate {
    let local = end.with_timezone(&zone).naive_local();
    let whole = local.time() == NaiveTime::MIN;
    let day = local.date();
    if whole { day.pred_opt().unwrap_or(day) } else { day }
}

/// From a moment, up to another one; without bounds all time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
}

/// All since a moment.
impl From<Option<Timestamp>> for Span {
    fn from(since: Option<Timestamp>) -> Self {
        Self { since, until: None }
    }
}

/// The current period.
pub fn current(period: Period, settings: &Settings, now: Timestamp) -> Span {
    begin(period, settings, now).into()
}

/// The period before the current one. `None`: the period never ends.
pub fn ended(period: Period, settings: &Settings, now: Timestamp) -> Option<Span> {
    let until = begin(period, settings, now)?;
    let since = begin(period, settings, until - TimeDelta::seconds(1));
    Some(Span { since, until: Some(until) })
}

/// `None`: the period has no start.
pub fn begin(period: Period, settings: &Settings, now: Timestamp) -> Option<Timestamp> {
    let zone = zone(settings);
    let today = now.with_timezone(&zone).date_naive();
    let first = match period {
        Period::Day => today,
        Period::Week => today.checked_sub_days(Days::new(days_into_week(today, settings.week_start)))?,
        Period::Month => today.with_day(1)?,
        Period::All => return None,
    };
    Some(start_of_day(first, zone))
}

/// 0 on the first day of the guild's week; `week_start` is an ISO day number.
fn days_into_week(day: NaiveDate, week_start: i32) -> u64 {
    let number = i64::from(day.weekday().number_from_monday());
    (number - i64::from(week_start)).rem_euclid(7).unsigned_abs()
}

/// The first moment of a day. Midnight may occur twice, and a forward clock change may skip it, even a whole day.
pub fn start_of_day(day: NaiveDate, zone: Tz) -> Timestamp {
    let midnight = day.and_time(NaiveTime::MIN);
    // Clock changes are multiples of a quarter of an hour.
    let quarters = (0..=36 * 4).map(|quarter| midnight + TimeDelta::minutes(15 * quarter));
    let first = quarters.map(|local| zone.from_local_datetime(&local)).find_map(|found| match found {
        LocalResult::Single(at) | LocalResult::Ambiguous(at, _) => Some(at.to_utc()),
        LocalResult::None => None,
    });
    first.unwrap_or_else(|| midnight.and_utc())
}

#[cfg(test)]
mod tests;
