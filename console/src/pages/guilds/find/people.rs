//! Members and staff by id or name, and their bans and mutes.

use entities::link_search::{self, Key};
use entities::{SanctionKind, Sorted, Subject, link, sanction, staff_directory};

use super::found::{Found, Group};
use crate::pages::guilds::by_discord_name::{ByDiscordName, Named};
use crate::pages::guilds::candidates::{banned, is_banned};
use crate::pages::guilds::former::{self, Former};
use crate::pages::guilds::moderation::Kind;
use crate::pages::guilds::people::{People, Who};
use crate::pages::guilds::staff::person::matching;
use crate::pages::guilds::staff::sees_all;
use crate::response::PageError;
use crate::visit::GuildVisit;

/// Members of one search.
pub(super) const MEMBERS_MAX: usize = 20;
/// Members whose bans and mutes are listed.
const MEMBERS_MODERATED: usize = 3;

/// Linked members by id or by either name. Whether there are more.
pub(super) async fn members(
    visit: &GuildVisit,
    typed: &str,
    found: &mut Vec<Found>,
) -> Result<bool, PageError> {
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
        Found::new(Group::Members, &link.play_username, url, exact).of(Who::linked(visit, link))
    };
    found.extend(by_id.as_ref().map(|link| member(link, true)));
    if by_id.is_none() {
        let former =
            |one: Former| Found::new(Group::Members, &one.name, one.url, true).about("Link has ended");
        found.extend(former::find(visit, typed).await?.into_iter().map(former));
    }
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
            found.push(Found::new(Group::Members, &name, url, false).of(who));
        }
    }
    Ok(false)
}

/// Staff members whom `members` does not find, because they have no link or the viewer does not see links.
pub(super) async fn staff(visit: &GuildVisit, typed: &str, found: &mut Vec<Found>) -> Result<(), PageError> {
    if !sees_all(visit) {
        return Ok(());
    }
    let members = staff_directory::list(visit.read(), visit.guild.guild_id, visit.now()).await?;
    for one in matching(visit, &members, typed).await? {
        let member = visit.url(&format!("/members/{}", one.chat));
        if found.iter().all(|found| found.url != member) {
            let url = visit.url(&format!("/staff/{}", one.chat));
            let row = Found::new(Group::Staff, &one.name, url, one.whole);
            found.push(row.of(Who::named(Subject::Chat(one.chat), one.name)));
        }
    }
    Ok(())
}

/// Who of them is banned; a ban or mute by its number; those of an account without a link, or of the members found.
pub(super) async fn moderation(
    visit: &GuildVisit,
    typed: &str,
    found: &mut Vec<Found>,
) -> Result<(), PageError> {
    if !visit.may("moderation.read") {
        return Ok(());
    }
    let banned = banned(visit, found.iter().filter_map(|found| found.who.as_ref())).await?;
    for one in found.iter_mut() {
        one.is_banned = one.who.as_ref().is_some_and(|who| is_banned(&banned, who));
    }
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    if let Ok(number) = typed.strip_prefix('#').unwrap_or(typed).parse::<i64>() {
        let mut rows = sanction::history::numbered(conn, guild, number).await?;
        if rows.is_empty()
            && let Ok(id) = number.try_into()
        {
            rows.extend(sanction::history::find(conn, guild, id).await?);
        }
        for row in rows {
            let kind = Kind(row.kind);
            let name = format!("{} #{}{}", kind.title(), row.number, of(visit, row.subject()).await?);
            let url = visit.url(&kind.one(row.sanction_id));
            found.push(Found::new(Group::Moderation, &name, url, true).about(row.reason));
        }
    }
    let members = found.iter().filter(|found| found.group == Group::Members);
    let members: Vec<_> = members.filter_map(|found| found.who.as_ref()?.play).collect();
    let people: Vec<_> = match (members.as_slice(), typed.parse::<Subject>()) {
        ([], Ok(subject)) => vec![(subject, true)],
        ([], Err(_)) => unlinked(visit, typed).await.into_iter().collect(),
        (members, _) => {
            members.iter().take(MEMBERS_MODERATED).map(|play| (Subject::Play(*play), false)).collect()
        }
    };
    for (subject, exact) in people {
        all_of(visit, subject, exact, found).await?;
    }
    Ok(())
}

/// Whom Roblox alone knows by this name.
async fn unlinked(visit: &GuildVisit, typed: &str) -> Option<(Subject, bool)> {
    let player = visit.console.player_names.find(visit.call_context(), typed).await.ok()??;
    Some((Subject::Play(player.id), true))
}

async fn all_of(
    visit: &GuildVisit,
    subject: Subject,
    exact: bool,
    found: &mut Vec<Found>,
) -> Result<(), PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let person = crate::pages::guilds::typed::accounts_of(visit, subject).await?;
    let rows = sanction::history::of_person(conn, guild, person, 100).await?;
    for kind in [SanctionKind::Ban, SanctionKind::Mute].map(Kind) {
        let count = rows.iter().filter(|row| row.kind == kind.0).count();
        if count > 0 {
            let name = format!("{}s{}", kind.title(), of(visit, Some(subject)).await?);
            let url = visit.url(&format!("{}?state=all&person={subject}", kind.path()));
            found.push(Found::new(Group::Moderation, &name, url, exact).about(count.to_string()));
        }
    }
    Ok(())
}

/// " of Ann".
async fn of(visit: &GuildVisit, subject: Option<Subject>) -> Result<String, PageError> {
    let people = People::read(visit, subject).await?;
    Ok(subject.map_or_else(String::new, |subject| format!(" of {}", people.who(visit, subject).name)))
}
