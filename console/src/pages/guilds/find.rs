//! /console/guilds/:guild/find: leads from an id or a name to its page.

use std::collections::HashSet;

use askama::Template;
use entities::job::listing;
use entities::link_search::{self, Key};
use entities::sanction::active::of_people;
use entities::{
    JobId, Person, SanctionId, SanctionKind, Sorted, Subject, game_server, link, sanction, staff_directory,
};

use crate::fields::segment;
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

use super::by_discord_name::{ByDiscordName, Named};
use super::moderation::Kind;
use super::people::{People, Who};
use super::servers;
use super::staff::person::matching;
use super::staff::sees_all;

/// Members of one search.
const MEMBERS_MAX: usize = 20;

#[derive(Template)]
#[template(path = "guilds/find.html")]
struct Page {
    shell: Shell,
    typed: String,
    found: Vec<Found>,
    /// The list of all members with this in their name, if these are only the first.
    more: Option<String>,
}

struct Found {
    what: &'static str,
    name: String,
    url: String,
    /// Of a member or staff member.
    who: Option<Who>,
    is_banned: bool,
    /// The input names exactly this.
    exact: bool,
}

impl Found {
    fn new(what: &'static str, name: &str, url: String, exact: bool) -> Self {
        Self { what, name: name.to_owned(), url, who: None, is_banned: false, exact }
    }
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let typed = visit.query.text("q").to_owned();
    let (mut found, mut more) = (Vec::new(), false);
    if !typed.is_empty() {
        more = people(&visit, &typed, &mut found).await?;
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
        return Ok(Response::see(only.url.clone()));
    }
    mark_banned(&visit, &mut found).await?;
    let all = visit.url(&format!("/members?q={}", segment(&typed)));
    let page = Page { shell: visit.shell("Find", Place::Overview), more: more.then_some(all), typed, found };
    Response::page(&page)
}

/// Linked members by id or by either name. Whether there are more.
async fn people(visit: &GuildVisit, typed: &str, found: &mut Vec<Found>) -> Result<bool, PageError> {
    if !visit.may("lookup.read") {
        return Ok(false);
    }
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let by_id = match typed.parse() {
        Ok(Subject::Chat(chat)) => link::find_by_chat(conn, guild, chat).await?,
        Ok(Subject::Play(play)) => link::find_by_play(conn, guild, play).await?,
        Err(_) => None,
    };
    let member = |link: &link::Model, exact| {
        let url = visit.url(&format!("/members/{}", link.chat_id));
        Found { who: Some(Who::linked(visit, link)), ..Found::new("Member", &link.play_username, url, exact) }
    };
    found.extend(by_id.as_ref().map(|link| member(link, true)));
    let part = (None, MEMBERS_MAX as u64 + 1);
    let links = link_search::containing(conn, guild, typed, Sorted::ascending(Key::Name), part).await?;
    for link in links.iter().take(MEMBERS_MAX) {
        found.push(member(link, link.play_username.eq_ignore_ascii_case(typed)));
    }
    if links.len() >= MEMBERS_MAX || found.iter().any(|found| found.exact) {
        return Ok(links.len() > MEMBERS_MAX);
    }
    for Named { name, member, .. } in ByDiscordName::read(visit, typed).await?.found {
        if let Some(who) = member
            && let Some(url) = who.url.clone()
            && found.iter().all(|found| found.url != url)
        {
            let name = format!("{} ({name} on Discord)", who.name);
            found.push(Found { who: Some(who), ..Found::new("Member", &name, url, false) });
        }
    }
    Ok(false)
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
            let row = Found::new("Staff member", &one.name, url, one.whole);
            found.push(Found { who: Some(Who::named(Subject::Chat(one.chat), one.name)), ..row });
        }
    }
    Ok(())
}

async fn mark_banned(visit: &GuildVisit, found: &mut [Found]) -> Result<(), PageError> {
    let person = |who: &Who| Person { chat: who.chat, play: who.play };
    let people: Vec<_> = found.iter().filter_map(|found| found.who.as_ref()).map(person).collect();
    if people.is_empty() || !visit.may("moderation.read") {
        return Ok(());
    }
    let active = of_people(visit.read(), visit.guild.guild_id, &people, visit.now()).await?;
    let bans = active.iter().filter(|row| row.kind == SanctionKind::Ban);
    let banned: HashSet<Subject> = bans.filter_map(sanction::Model::subject).collect();
    for one in found {
        let accounts = one
            .who
            .as_ref()
            .map_or([None, None], |who| [who.chat.map(Subject::Chat), who.play.map(Subject::Play)]);
        one.is_banned = accounts.iter().flatten().any(|account| banned.contains(account));
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
        found.push(Found::new(kind.title(), &name, visit.url(&kind.one(id)), true));
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
            found.push(Found::new(kind.title(), &name, url, true));
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
        found.push(Found::new("Job", &job.kind, url, true));
    }
    if visit.may("moderation.read")
        && let Some(server) = game_server::find(conn, guild, typed).await?
    {
        let url = servers::address(visit, &server.server_id);
        found.push(Found::new("Game server", &server.server_id, url, true));
    }
    Ok(())
}
