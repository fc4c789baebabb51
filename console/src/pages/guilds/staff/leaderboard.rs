//! /console/guilds/:guild/staff/leaderboard: staff by score in the current week or month, or of all time.

use askama::Template;
use entities::leaderboard::{self, LeaderboardRow};
use entities::period;
use entities::quota::Period;

use super::tabs::{Link, Tab, tabs};
use super::{Staff, own};
use crate::answer::{Answer, PageError};
use crate::list::cut_whole;
use crate::pages::guilds::people::Who;
use crate::shell::{Place, Shell};
use crate::visit::GuildVisit;
use crate::words::Number;

#[derive(Template)]
#[template(path = "guilds/staff/leaderboard.html")]
struct Page {
    shell: Shell,
    tabs: Vec<Link>,
    periods: [Link; 3],
    zone: String,
    rows: Vec<Row>,
    more: Option<String>,
}

struct Row {
    rank: usize,
    who: Who,
    role: String,
    score: Number<i64>,
    actions: Number<i64>,
    own: bool,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Answer, PageError> {
    let chosen = match visit.query.text("period") {
        "month" => Period::Month,
        "all" => Period::All,
        _ => Period::Week,
    };
    let settings = visit.guild.settings();
    let since = period::begin(chosen, &settings, visit.now());
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let mut ranking = leaderboard::list(conn, guild, since, &settings.score_weights, visit.now()).await?;
    let (skipped, more) = cut_whole(&visit.query, &mut ranking);
    let staff = Staff::read(&visit, ranking.iter().map(|row| row.chat_id).collect()).await?;
    let row = |(rank, row): (usize, LeaderboardRow)| Row {
        rank,
        who: staff.who(&visit, row.chat_id),
        role: row.role_name,
        score: Number(row.score),
        actions: Number(row.actions),
        own: row.chat_id == own(&visit),
    };
    let page = Page {
        shell: visit.shell("Leaderboard", Place::Staff),
        tabs: tabs(&visit, Tab::Leaderboard),
        periods: periods(&visit, chosen),
        zone: visit.guild.time_zone.clone(),
        rows: (skipped + 1..).zip(ranking).map(row).collect(),
        more,
    };
    Answer::page(&page)
}

fn periods(visit: &GuildVisit, chosen: Period) -> [Link; 3] {
    let all = [
        ("This week", "week", Period::Week),
        ("This month", "month", Period::Month),
        ("All time", "all", Period::All),
    ];
    all.map(|(label, name, period)| {
        let url = visit.url(&format!("/staff/leaderboard?period={name}"));
        Link { label, url, current: period == chosen }
    })
}
