use crate::{GuildId, Timestamp, guild};

use super::*;

fn settings((zone, week_start): (&str, i32)) -> Settings {
    let guild = guild::Model::new(GuildId::try_from(7).unwrap(), String::new(), Timestamp::UNIX_EPOCH);
    Settings { time_zone: zone.to_owned(), week_start, ..guild.settings() }
}

fn begins(period: Period, guild: (&str, i32), now: &str) -> String {
    let begin = begin(period, &settings(guild), now.parse().unwrap()).unwrap();
    begin.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true)
}

#[test]
fn days_weeks_and_months_begin_at_local_midnight() {
    // A Friday.
    let now = "2026-11-20T12:00:00Z";
    for (period, zone, week_start, expected) in [
        (Period::Day, "UTC", 1, "2026-11-20T00:00:00Z"),
        (Period::Day, "Pacific/Auckland", 1, "2026-11-20T11:00:00Z"),
        (Period::Day, "Asia/Kathmandu", 1, "2026-11-19T18:15:00Z"),
        (Period::Week, "UTC", 1, "2026-11-16T00:00:00Z"),
        (Period::Week, "UTC", 5, "2026-11-20T00:00:00Z"),
        (Period::Week, "UTC", 6, "2026-11-14T00:00:00Z"),
        (Period::Week, "UTC", 7, "2026-11-15T00:00:00Z"),
        // It is already Saturday there.
        (Period::Week, "Pacific/Auckland", 6, "2026-11-20T11:00:00Z"),
        (Period::Month, "UTC", 1, "2026-11-01T00:00:00Z"),
        (Period::Month, "America/New_York", 1, "2026-11-01T04:00:00Z"),
    ] {
        assert_eq!(begins(period, (zone, week_start), now), expected, "{period:?} {zone} {week_start}");
    }
}

#[test]
fn a_period_ends_with_its_last_moment() {
    let berlin = ("Europe/Berlin", 1);
    assert_eq!(begins(Period::Month, berlin, "2026-10-31T22:59:59.999999Z"), "2026-09-30T22:00:00Z");
    assert_eq!(begins(Period::Month, berlin, "2026-10-31T23:00:00Z"), "2026-10-31T23:00:00Z");
    assert_eq!(begins(Period::Week, berlin, "2026-12-31T23:00:00Z"), "2026-12-27T23:00:00Z");
}

#[test]
fn a_clock_change_within_the_period_moves_no_boundary() {
    // Clocks went forward on 29 March, back on 25 October, both Sundays.
    let berlin = ("Europe/Berlin", 1);
    assert_eq!(begins(Period::Week, berlin, "2026-03-29T12:00:00Z"), "2026-03-22T23:00:00Z");
    assert_eq!(begins(Period::Week, berlin, "2026-03-29T22:00:00Z"), "2026-03-29T22:00:00Z");
    assert_eq!(begins(Period::Day, berlin, "2026-03-29T21:59:59Z"), "2026-03-28T23:00:00Z");
    assert_eq!(begins(Period::Day, berlin, "2026-10-25T22:59:59Z"), "2026-10-24T22:00:00Z");
    assert_eq!(begins(Period::Month, berlin, "2026-10-26T12:00:00Z"), "2026-09-30T22:00:00Z");
}

#[test]
fn a_skipped_or_doubled_midnight_is_the_first_moment_of_its_day() {
    // Cairo skips 0:00 to 1:00 on 24 April 2026.
    assert_eq!(begins(Period::Day, ("Africa/Cairo", 1), "2026-04-24T12:00:00Z"), "2026-04-23T22:00:00Z");
    // Havana has the hour from 0:00 twice on 1 November 2026.
    for now in ["2026-11-01T04:30:00Z", "2026-11-01T05:30:00Z", "2026-11-01T12:00:00Z"] {
        assert_eq!(begins(Period::Month, ("America/Havana", 1), now), "2026-11-01T04:00:00Z", "{now}");
    }
    // Samoa had no 30 December 2011: the week that would begin with it begins on the 31st.
    assert_eq!(begins(Period::Week, ("Pacific/Apia", 5), "2011-12-31T12:00:00Z"), "2011-12-30T10:00:00Z");
}

#[test]
fn all_has_no_beginning_and_an_unknown_zone_is_utc() {
    assert_eq!(begins(Period::Day, ("Mars/Base", 1), "2026-11-20T12:00:00Z"), "2026-11-20T00:00:00Z");
    assert_eq!(begin(Period::All, &settings(("UTC", 3)), "2026-11-20T12:00:00Z".parse().unwrap()), None);
}
