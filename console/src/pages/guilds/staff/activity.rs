//! /console/guilds/:guild/staff/activity: what staff did, and at which hours of the week.

use askama::Template;
use chrono::TimeDelta;
use entities::{Subject, staff_action};

use super::tabs::{Link, Tab, tabs};
use super::words::{self, Action};
use super::{Staff, cut, days, page};
use crate::answer::{Answer, PageError};
use crate::chart::heat_map::HeatMap;
use crate::pages::guilds::people::{People, Who};
use crate::shell::{Place, Shell};
use crate::visit::GuildVisit;

/// Days of the heat map.
const DAYS: i64 = 30;

#[derive(Template)]
#[template(path = "guilds/staff/activity.html")]
struct Page {
    shell: Shell,
    tabs: Vec<Link>,
    heat: HeatMap,
    rows: Vec<(Who, Action)>,
    more: Option<String>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Answer, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let since = visit.now() - TimeDelta::days(DAYS);
    let times = staff_action::times_since(conn, guild, since).await?;
    let mut actions = staff_action::list(conn, guild, page(&visit)).await?;
    let more = cut(&visit, &mut actions, |row| row.action_id);
    let chats = actions.iter().map(|row| row.staff_id);
    let staff = Staff::read(&visit, chats.collect()).await?;
    let targets = actions.iter().filter_map(words::target).map(Subject::Play);
    let people = People::read(&visit, targets.collect::<Vec<_>>()).await?;
    let row =
        |row: &staff_action::Model| (staff.who(&visit, row.staff_id), words::shown(&visit, &people, row));
    let page = Page {
        shell: visit.shell("Activity", Place::Staff),
        tabs: tabs(&visit, Tab::Activity),
        heat: HeatMap::new(
            "Staff actions by weekday and hour",
            &times,
            days::zone(&visit),
            visit.guild.week_start,
        ),
        rows: actions.iter().map(row).collect(),
        more,
    };
    Answer::page(&page)
}
