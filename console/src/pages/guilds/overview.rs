//! /console/guilds/:guild: what needs somebody, the guild in figures, what happened lately.

use askama::Template;
use chrono::NaiveDate;
use entities::audit_entry;
use entities::overview::{self, Servers};
use entities::sanction::list::{self, List};
use entities::{Page as Part, Places, SanctionKind, link};

use super::audit::{self, Sentence};
use super::waiting::Waiting;
use crate::html::chart::bars::{self, Bars};
use crate::html::chart::trend::Trend;
use crate::html::format::{Count, Number};
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// Entries of the audit log.
const LATELY: u64 = 8;

#[derive(Template)]
#[template(path = "guilds/overview.html")]
struct Page {
    shell: Shell,
    cards: Vec<Card>,
    charts: Vec<Bars>,
    /// Not set up yet: the first steps come first.
    first_run: Option<String>,
    waiting: Vec<Waiting>,
    /// The page of all entries, and the newest ones; `None`: for others to read.
    lately: Option<(String, Vec<Sentence>)>,
    /// Below it are the forms of whoever may ban and sees no list of bans, which leads to them for others.
    bans_at: Option<String>,
}

/// A figure, which links to the page behind it.
struct Card {
    name: &'static str,
    value: Number<u64>,
    note: String,
    trend: Option<Trend>,
    url: Option<String>,
}

/// What happened on each of the last days.
struct Days {
    /// `None`: for others to read.
    bans: Option<Vec<(NaiveDate, u64)>>,
    mutes: Option<Vec<(NaiveDate, u64)>>,
    actions: Vec<(NaiveDate, u64)>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let left = visit.rights.admin && !super::first_run::is_done(&visit).await?;
    let first_run = left.then(|| visit.url("/first-run"));
    let days = Days::read(&visit).await?;
    let page = Page {
        shell: visit.shell(&visit.guild.name, Place::Overview),
        cards: cards(&visit, &days).await?,
        charts: days.charts(&visit),
        first_run,
        waiting: Waiting::all(&visit).await?,
        lately: lately(&visit).await?,
        bans_at: (visit.may("moderation.write") && !visit.may("moderation.read")).then(|| visit.url("")),
    };
    Response::page(&page)
}

impl Days {
    async fn read(visit: &GuildVisit) -> Result<Self, PageError> {
        let (conn, guild, since) = (visit.read(), visit.guild.guild_id, bars::since(visit.now()));
        let reads = visit.may("moderation.read");
        let of = async |kind| {
            if !reads {
                return Ok(None);
            }
            overview::sanctions_by_day(conn, guild, kind, since).await.map(Some)
        };
        Ok(Self {
            bans: of(SanctionKind::Ban).await?,
            mutes: of(SanctionKind::Mute).await?,
            actions: overview::actions_by_day(conn, guild, since).await?,
        })
    }

    fn charts(&self, visit: &GuildVisit) -> Vec<Bars> {
        let all = [("Bans", self.bans.as_deref()), ("Mutes", self.mutes.as_deref())];
        let all = all.into_iter().chain([("Actions of staff", Some(&*self.actions))]);
        let all: Vec<_> = all.filter_map(|(title, days)| Some((title, days?))).collect();
        let peak = bars::peak(&all.iter().map(|(_, days)| *days).collect::<Vec<_>>());
        all.into_iter().map(|(title, days)| Bars::new(title, days, peak, visit.now())).collect()
    }
}

async fn cards(visit: &GuildVisit, days: &Days) -> Result<Vec<Card>, PageError> {
    let (conn, guild, now) = (visit.read(), visit.guild.guild_id, visit.now());
    let linked = |permission, page: &str| visit.may(permission).then(|| visit.url(page));
    let count = async |kind| list::count(conn, List { guild, kind, places: Places::All }, now).await;
    let Servers { servers, players } = overview::servers(conn, guild, now).await?;
    let card = |name, value, url| Card { name, value: Number(value), url, note: String::new(), trend: None };
    let over = |card: Card, days: Option<&[(NaiveDate, u64)]>, (one, more): (&str, &str)| {
        let days = days.unwrap_or_default();
        let sum: u64 = days.iter().map(|(_, count)| count).sum();
        let what = if sum == 1 { one } else { more };
        let note = if sum > 0 { format!("{} {what} in 30 days", Number(sum)) } else { String::new() };
        Card { trend: Trend::new(days, now), note, ..card }
    };
    let members = linked("lookup.read", "/members").or_else(|| linked("links.write", "/members/link"));
    let bans = card("Active bans", count(SanctionKind::Ban).await?, linked("moderation.read", "/moderation"));
    let mutes = linked("moderation.read", "/moderation/mutes");
    let mutes = card("Active mutes", count(SanctionKind::Mute).await?, mutes);
    let live = card("Live servers", servers.unsigned_abs(), linked("moderation.read", "/servers"));
    let playing = format!("{} on them", Count(players.unsigned_abs(), "player"));
    let duty = overview::on_duty(conn, guild, now).await?;
    let duty = card("Staff on duty", duty, Some(visit.url("/staff")));
    let jobs = overview::open_jobs(conn, guild).await?.unsigned_abs();
    Ok(vec![
        card("Linked members", link::count(conn, guild).await?, members),
        over(bans, days.bans.as_deref(), ("made", "made")),
        over(mutes, days.mutes.as_deref(), ("made", "made")),
        Card { note: if servers > 0 { playing } else { String::new() }, ..live },
        over(duty, Some(&days.actions), ("action", "actions")),
        card("Jobs under way", jobs, linked("sync.write", "/jobs")),
    ])
}

async fn lately(visit: &GuildVisit) -> Result<Option<(String, Vec<Sentence>)>, PageError> {
    if !visit.may("audit.read") {
        return Ok(None);
    }
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let newest = audit_entry::list(conn, guild, audit_entry::Filter::default(), Part::first(LATELY)).await?;
    Ok(Some((visit.url("/audit"), audit::sentences(visit, &newest).await?)))
}
