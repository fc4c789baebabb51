//! /console/guilds/:guild/staff/leaderboard: staff by score in the current or the last week or month, or of all time.

use askama::Template;
use entities::leaderboard::{self, LeaderboardRow};
use entities::period::{self, Span};
use entities::quota::Period;

use super::tabs::{Link, Tab, tabs};
use super::{Staff, own};
use crate::html::format::{Count, Number};
use crate::html::list::cut_whole;
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::Who;
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

#[derive(Template)]
#[template(path = "guilds/staff/leaderboard.html")]
struct Page {
    shell: Shell,
    tabs: Vec<Link>,
    periods: [Link; 5],
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
    /// Days on leave, where there are any.
    on_leave: Option<Count<u64>>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let period = match visit.query.text("period") {
        "month" => Period::Month,
        "all" => Period::All,
        _ => Period::Week,
    };
    let span = span(&visit, period);
    let chosen = (period, span.until.is_some());
    let mut ranking = leaderboard::list(visit.read(), &visit.guild, span, visit.now()).await?;
    let (skipped, more) = cut_whole(&visit.query, &mut ranking);
    let staff = Staff::read(&visit, ranking.iter().map(|row| row.chat_id).collect()).await?;
    let row = |(rank, row): (usize, LeaderboardRow)| Row {
        rank,
        who: staff.who(&visit, row.chat_id),
        role: row.role_name,
        score: Number(row.score),
        actions: Number(row.actions),
        own: row.chat_id == own(&visit),
        on_leave: on_leave(row.on_leave_days),
    };
    let page = Page {
        shell: visit.shell("Leaderboard", Place::Staff),
        tabs: tabs(&visit, Tab::Leaderboard),
        periods: periods(&visit, chosen),
        zone: visit.guild.time_zone.clone(),
        rows: (skipped + 1..).zip(ranking).map(row).collect(),
        more,
    };
    Response::page(&page)
}

/// The current period, or with `ended=1` in the address the one before.
pub(super) fn span(visit: &GuildVisit, period: Period) -> Span {
    let (settings, now) = (visit.guild.settings(), visit.now());
    let ended = (visit.query.text("ended") == "1").then(|| period::ended(period, &settings, now)).flatten();
    ended.unwrap_or_else(|| period::current(period, &settings, now))
}

pub(super) fn on_leave(days: i64) -> Option<Count<u64>> {
    (days > 0).then(|| Count(days.unsigned_abs(), "day"))
}

fn periods(visit: &GuildVisit, chosen: (Period, bool)) -> [Link; 5] {
    let all = [
        ("This week", "week", (Period::Week, false)),
        ("Last week", "week&ended=1", (Period::Week, true)),
        ("This month", "month", (Period::Month, false)),
        ("Last month", "month&ended=1", (Period::Month, true)),
        ("All time", "all", (Period::All, false)),
    ];
    all.map(|(label, query, shown)| {
        let url = visit.url(&format!("/staff/leaderboard?period={query}"));
        Link { label, url, current: shown == chosen }
    })
}
