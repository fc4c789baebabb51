//! /console/guilds/:guild/staff/activity: actions of staff, and the hours of the week in which they are
//! active.

use askama::Template;
use chrono::{TimeDelta, Timelike};
use chrono_tz::Tz;
use entities::{Timestamp, staff_action};

use super::labels::{self, Action};
use super::person::asked;
use super::tabs::{Link, Tab, tabs};
use super::{Staff, days};
use crate::html::chart::heat_map::HeatMap;
use crate::html::form::Form;
use crate::html::list::{cut, page};
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::{People, Who};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// Days of the heat map.
const DAYS: i64 = 30;

#[derive(Template)]
#[template(path = "guilds/staff/activity.html")]
struct Page {
    shell: Shell,
    tabs: Vec<Link>,
    heat: HeatMap,
    form: Form,
    rows: Vec<(Who, Action)>,
    more: Option<String>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let since = visit.now() - TimeDelta::days(DAYS);
    let hours = hours(since, visit.now(), days::zone(&visit));
    let counts = staff_action::times::count_in(conn, guild, &hours).await?;
    let counts: Vec<_> = hours.iter().map(|hour| hour.0).zip(counts).collect();
    let (of, form) = asked(&visit, Form::new(visit.query.clone())).await?;
    let mut actions = match of {
        _ if form.is_refused() => Vec::new(),
        Some(staff) => staff_action::list_of(conn, guild, staff, page(&visit)).await?,
        None => staff_action::list(conn, guild, page(&visit)).await?,
    };
    let more = cut(&visit, &mut actions, |row| row.action_id);
    let chats = actions.iter().map(|row| row.staff_id);
    let staff = Staff::read(&visit, chats.collect()).await?;
    let targets = actions.iter().filter_map(labels::target);
    let people = People::read(&visit, targets.collect::<Vec<_>>()).await?;
    let row =
        |row: &staff_action::Model| (staff.who(&visit, row.staff_id), labels::shown(&visit, &people, row));
    let page = Page {
        shell: visit.shell("Activity", Place::Staff),
        tabs: tabs(&visit, Tab::Activity),
        heat: HeatMap::new(
            "Staff actions by weekday and hour",
            &counts,
            days::zone(&visit),
            visit.guild.week_start,
        ),
        rows: actions.iter().map(row).collect(),
        more,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

/// The hours of a time zone in a span of time; the first and the last one may be cut.
fn hours(from: Timestamp, until: Timestamp, zone: Tz) -> Vec<(Timestamp, Timestamp)> {
    let mut hours = Vec::new();
    let mut at = from;
    while at < until {
        let local = at.with_timezone(&zone).time();
        let into = TimeDelta::seconds((local.minute() * 60 + local.second()).into())
            + TimeDelta::nanoseconds(local.nanosecond().into());
        let next = at + TimeDelta::hours(1) - into;
        hours.push((at, next));
        at = next;
    }
    hours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_those_of_the_clock_on_the_wall() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let nepal =
            hours(at("2026-11-22T10:20:30.5Z"), at("2026-11-22T11:20:00Z"), chrono_tz::Asia::Kathmandu);
        let expected = [
            ("2026-11-22T10:20:30.5Z", "2026-11-22T11:15:00Z"),
            ("2026-11-22T11:15:00Z", "2026-11-22T12:15:00Z"),
        ];
        assert_eq!(nepal, expected.map(|(from, until)| (at(from), at(until))));
        // Clocks go back by half an hour at 15:00 UTC.
        let lord_howe =
            hours(at("2026-04-04T14:00:00Z"), at("2026-04-04T16:00:00Z"), chrono_tz::Australia::Lord_Howe);
        assert_eq!(lord_howe[1], (at("2026-04-04T15:00:00Z"), at("2026-04-04T15:30:00Z")));
        let month = hours(at("2026-10-01T00:00:00Z"), at("2026-10-31T00:00:00Z"), chrono_tz::Europe::Berlin);
        assert!(month.len() == 720 && month.windows(2).all(|pair| pair[0].1 == pair[1].0));
    }
}
