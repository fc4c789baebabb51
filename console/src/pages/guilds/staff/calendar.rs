//! The last weeks of one staff member: for how long they were on duty on each day, and on which they were on leave.

use chrono::{Datelike, Days, NaiveDate, TimeDelta};
use chrono_tz::Tz;
use entities::{ChatId, Page as Rows, Timestamp, loa, period, staff_session};

use super::{days, labels};
use crate::response::PageError;
use crate::visit::GuildVisit;

const WEEKS: usize = 5;
/// From the first Monday to the last one.
const BACK: Days = Days::new(28);
const DAYS: usize = 7;
/// Leaves that are read.
const LEAVES: u64 = 20;

pub(super) struct Calendar {
    /// From Monday to Sunday.
    pub(super) weeks: Vec<Vec<Day>>,
}

pub(super) struct Day {
    /// "5 Nov"
    pub(super) date: String,
    /// "2 h 10 min"; empty: not on duty.
    pub(super) duty: String,
    pub(super) on_leave: bool,
    pub(super) is_to_come: bool,
}

impl Calendar {
    pub(super) async fn read(visit: &GuildVisit, staff: ChatId) -> Result<Self, PageError> {
        let (conn, guild, now) = (visit.read(), visit.guild.guild_id, visit.now());
        let zone = days::zone(visit);
        let today = now.with_timezone(&zone).date_naive();
        let dates = dates(today);
        let begin = period::start_of_day(dates[0], zone);
        let sessions = staff_session::since(conn, guild, staff, begin).await?;
        let sessions: Vec<_> =
            sessions.iter().map(|one| (one.started_second.at(), one.heartbeat_second.at())).collect();
        let filter = loa::Filter { staff: Some(staff), status: None };
        let leaves = loa::list(conn, guild, filter, Rows::first(LEAVES), now).await?;
        let leaves: Vec<_> = leaves.iter().map(|leave| (leave.starts_at, leave.until())).collect();
        let day = |date: &NaiveDate| {
            let span = bounds(*date, zone);
            let minutes =
                sessions.iter().map(|session| overlap(*session, span)).sum::<TimeDelta>().num_minutes();
            Day {
                date: date.format("%-d %b").to_string(),
                duty: if minutes > 0 { labels::minutes(minutes) } else { String::new() },
                on_leave: leaves.iter().any(|leave| overlap(*leave, span) > TimeDelta::zero()),
                is_to_come: *date > today,
            }
        };
        Ok(Self { weeks: dates.chunks(DAYS).map(|week| week.iter().map(day).collect()).collect() })
    }
}

/// Whole weeks, up to that of today.
fn dates(today: NaiveDate) -> Vec<NaiveDate> {
    let monday = today - Days::new(u64::from(today.weekday().num_days_from_monday()));
    let first = monday - BACK;
    first.iter_days().take(DAYS * WEEKS).collect()
}

fn bounds(date: NaiveDate, zone: Tz) -> (Timestamp, Timestamp) {
    (period::start_of_day(date, zone), period::start_of_day(date + Days::new(1), zone))
}

fn overlap(one: (Timestamp, Timestamp), other: (Timestamp, Timestamp)) -> TimeDelta {
    (one.1.min(other.1) - one.0.max(other.0)).max(TimeDelta::zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_are_whole_and_sessions_count_for_the_day_they_were_on() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        let dates = dates(day("2026-11-26"));
        assert_eq!((dates.len(), dates[0], dates[34]), (35, day("2026-10-26"), day("2026-11-29")));
        let zone = chrono_tz::Europe::Berlin;
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let night = (at("2026-11-25T22:30:00Z"), at("2026-11-26T01:00:00Z"));
        let minutes = |date: &str| overlap(night, bounds(day(date), zone)).num_minutes();
        assert_eq!(["2026-11-25", "2026-11-26", "2026-11-27"].map(minutes), [30, 120, 0]);
    }
}
