//! /console/guilds/:guild: the guild at a glance, and the remaining steps of the setup.

use askama::Template;
use entities::overview::{self, Servers};
use entities::sanction::list::{self, List};
use entities::{Places, SanctionKind, link};

use super::waiting::Waiting;
use crate::html::chart::bars::{self, Bars};
use crate::html::format::Number;
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

#[derive(Template)]
#[template(path = "guilds/overview.html")]
struct Page {
    shell: Shell,
    facts: Vec<Fact>,
    charts: Vec<Bars>,
    /// Not set up yet: the first steps come first.
    first_run: Option<String>,
    waiting: Vec<Waiting>,
}

/// One number, which links to the page behind it.
struct Fact {
    name: &'static str,
    value: Number<u64>,
    url: Option<String>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let left = visit.rights.admin && !super::first_run::is_done(&visit).await?;
    let first_run = left.then(|| visit.url("/first-run"));
    let page = Page {
        shell: visit.shell(&visit.guild.name, Place::Overview),
        facts: facts(&visit).await?,
        charts: charts(&visit).await?,
        first_run,
        waiting: Waiting::all(&visit).await?,
    };
    Response::page(&page)
}

async fn facts(visit: &GuildVisit) -> Result<Vec<Fact>, PageError> {
    let (conn, guild, now) = (visit.read(), visit.guild.guild_id, visit.now());
    let linked = |permission, page: &str| visit.may(permission).then(|| visit.url(page));
    let count = async |kind| list::count(conn, List { guild, kind, places: Places::All }, now).await;
    let Servers { servers, players } = overview::servers(conn, guild, now).await?;
    let fact = |name, value, url| Fact { name, value: Number(value), url };
    Ok(vec![
        fact(
            "Linked members",
            link::count(conn, guild).await?,
            linked("lookup.read", "/members").or_else(|| linked("links.write", "/members/link")),
        ),
        fact("Active bans", count(SanctionKind::Ban).await?, linked("moderation.read", "/moderation")),
        fact(
            "Active mutes",
            count(SanctionKind::Mute).await?,
            linked("moderation.read", "/moderation/mutes"),
        ),
        fact("Live servers", servers.unsigned_abs(), linked("moderation.read", "/servers")),
        fact("Players on them", players.unsigned_abs(), None),
        fact("Staff on duty", overview::on_duty(conn, guild, now).await?, Some(visit.url("/staff"))),
        fact(
            "Jobs under way",
            overview::open_jobs(conn, guild).await?.unsigned_abs(),
            linked("sync.write", "/jobs"),
        ),
    ])
}

async fn charts(visit: &GuildVisit) -> Result<Vec<Bars>, PageError> {
    let (conn, guild, now) = (visit.read(), visit.guild.guild_id, visit.now());
    let since = bars::since(now);
    let mut charts = Vec::new();
    if visit.may("moderation.read") {
        let bans = overview::sanctions_by_day(conn, guild, SanctionKind::Ban, since).await?;
        charts.push(Bars::new("Bans", &bans, now));
        let mutes = overview::sanctions_by_day(conn, guild, SanctionKind::Mute, since).await?;
        charts.push(Bars::new("Mutes", &mutes, now));
    }
    let actions = overview::actions_by_day(conn, guild, since).await?;
    charts.push(Bars::new("Actions of staff", &actions, now));
    Ok(charts)
}
