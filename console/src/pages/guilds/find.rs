//! /console/guilds/:guild/find: from an id or a name to the page of what it names.

use askama::Template;
use entities::job::listing;
use entities::link_search::{self, Key};
use entities::{
    JobId, SanctionId, SanctionKind, Sorted, Subject, game_server, link, sanction, staff_directory,
};

use crate::answer::{Answer, PageError};
use crate::fields::segment;
use crate::shell::{Place, Shell};
use crate::visit::GuildVisit;

use super::by_discord_name::{ByDiscordName, Named};
use super::moderation::Kind;
use super::people::{People, Who};
use super::servers;
use super::staff::person::matching;
use super::staff::sees_all;

/// Names of one search.
const NAMES: u64 = 20;

#[derive(Template)]
#[template(path = "guilds/find.html")]
struct Page {
    shell: Shell,
    typed: String,
    found: Vec<Found>,
    /// More names have this in them.
    more: Option<String>,
}

struct Found {
    what: &'static str,
    name: String,
    url: String,
    /// What was typed names exactly this.
    exact: bool,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Answer, PageError> {
    let typed = visit.query.text("q").to_owned();
    let mut found = Vec::new();
    if !typed.is_empty() {
        people(&visit, &typed, &mut found).await?;
        staff(&visit, &typed, &mut found).await?;
        sanctions(&visit, &typed, &mut found).await?;
        others(&visit, &typed, &mut found).await?;
    }
    let exact: Vec<_> = found.iter().filter(|found| found.exact).collect();
    let only = match (exact.as_slice(), found.as_slice()) {
        ([one], _) => Some(*one),
        ([], [one]) => Some(one),
        _ => None,
    };
    if let Some(only) = only {
        return Ok(Answer::see(only.url.clone()));
    }
    let names = found.iter().filter(|found| !found.exact).count() as u64;
    let all = visit.url(&format!("/members?q={}", segment(&typed)));
    let page = Page {
        shell: visit.shell("Find", Place::Overview),
        more: (names >= NAMES).then_some(all),
        typed,
        found,
    };
    Answer::page(&page)
}

/// Linked members by id or by either name.
async fn people(visit: &GuildVisit, typed: &str, found: &mut Vec<Found>) -> Result<(), PageError> {
    if !visit.may("lookup.read") {
        return Ok(());
    }
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let by_id = match typed.parse() {
        Ok(Subject::Chat(chat)) => link::find_by_chat(conn, guild, chat).await?,
        Ok(Subject::Play(play)) => link::find_by_play(conn, guild, play).await?,
        Err(_) => None,
    };
    let member = |link: &link::Model, exact| Found {
        what: "Member",
        name: link.play_username.clone(),
        url: visit.url(&format!("/members/{}", link.chat_id)),
        exact,
    };
    found.extend(by_id.as_ref().map(|link| member(link, true)));
    for link in
        link_search::containing(conn, guild, typed, Sorted::ascending(Key::Name), (None, NAMES)).await?
    {
        found.push(member(&link, link.play_username.eq_ignore_ascii_case(typed)));
    }
    if found.len() as u64 >= NAMES || found.iter().any(|found| found.exact) {
        return Ok(());
    }
    for Named { name, member, .. } in ByDiscordName::read(visit, typed).await?.found {
        if let Some(Who { name: player, url: Some(url), .. }) = member
            && found.iter().all(|found| found.url != url)
        {
            found.push(Found {
                what: "Member",
                name: format!("{player} ({name} on Discord)"),
                url,
                exact: false,
            });
        }
    }
    Ok(())
}

/// Staff members whom `people` does not find, because they have no link or the viewer does not see links.
async fn staff(visit: &GuildVisit, typed: &str, found: &mut Vec<Found>) -> Result<(), PageError> {
    if !sees_all(visit) {
        return Ok(());
    }
    let members = staff_directory::list(visit.read(), visit.guild.guild_id, visit.now()).await?;
    for one in matching(visit, &members, typed).await? {
        let member = visit.url(&format!("/members/{}", one.chat));
        if found.iter().all(|found| found.url != member) {
            let url = visit.url(&format!("/staff/{}", one.chat));
            found.push(Found { what: "Staff member", name: one.name, url, exact: one.whole });
        }
    }
    Ok(())
}

/// A ban or mute by its number, and those of an account without a link.
async fn sanctions(visit: &GuildVisit, typed: &str, found: &mut Vec<Found>) -> Result<(), PageError> {
    if !visit.may("moderation.read") {
        return Ok(());
    }
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    if let Ok(id) = typed.strip_prefix('#').unwrap_or(typed).parse::<SanctionId>()
        && let Some(row) = sanction::history::find(conn, guild, id).await?
    {
        let kind = Kind(row.kind);
        let name = format!("{} #{id}{}", kind.title(), of(visit, row.subject()).await?);
        found.push(Found { what: kind.title(), name, url: visit.url(&kind.one(id)), exact: true });
    }
    let Ok(subject) = typed.parse::<Subject>() else { return Ok(()) };
    if found.iter().any(|found| found.what == "Member") {
        return Ok(());
    }
    let rows = sanction::history::of_person(conn, guild, subject.into(), 100).await?;
    for kind in [SanctionKind::Ban, SanctionKind::Mute].map(Kind) {
        let count = rows.iter().filter(|row| row.kind == kind.0).count();
        if count > 0 {
            let name = format!("{}s{}", kind.title(), of(visit, Some(subject)).await?);
            let url = visit.url(&format!("{}?state=all&person={subject}", kind.path()));
            found.push(Found { what: kind.title(), name, url, exact: true });
        }
    }
    Ok(())
}

/// " of Ann".
async fn of(visit: &GuildVisit, subject: Option<Subject>) -> Result<String, PageError> {
    let people = People::read(visit, subject).await?;
    Ok(subject.map_or_else(String::new, |subject| format!(" of {}", people.who(visit, subject).name)))
}

/// Jobs and game servers.
async fn others(visit: &GuildVisit, typed: &str, found: &mut Vec<Found>) -> Result<(), PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    if visit.may("sync.write")
        && let Ok(id) = typed.parse::<JobId>()
        && let Some(job) = listing::find(conn, guild, id).await?
    {
        let url = visit.url(&format!("/jobs/{id}"));
        found.push(Found { what: "Job", name: job.kind, url, exact: true });
    }
    if visit.may("moderation.read")
        && let Some(server) = game_server::find(conn, guild, typed).await?
    {
        let url = servers::address(visit, &server.server_id);
        found.push(Found { what: "Game server", name: server.server_id, url, exact: true });
    }
    Ok(())
}
