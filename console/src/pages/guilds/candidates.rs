//! People who may be meant by a typed text: members by a part of either name, and the user of Roblox with this name.

use std::collections::HashSet;

use entities::game_server::present;
use entities::{Person, SanctionKind, Subject, link, link_search, sanction};

use super::by_discord_name::{ByDiscordName, Named};
use super::people::{People, Who};
use crate::html::candidate::Candidate;
use crate::response::PageError;
use crate::visit::GuildVisit;

/// People of one list.
pub(crate) const SHOWN: usize = 8;
/// Players of game servers among whom a name is searched, and servers that are looked at.
const PLAYING: usize = 300;
const SERVERS: u64 = 50;
/// Letters from which parts of names are searched.
const PART_MIN: usize = 2;

/// Whom a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Among<'a> {
    /// Members of the guild, whether or not they are linked.
    Members,
    /// Also players who are no members.
    Everybody,
    /// Users of Roblox alone.
    Players,
    /// The same, with members by either name; first those on this game server, or on any.
    Playing(Option<&'a str>),
}

/// One of them.
pub(crate) struct Possible {
    who: Who,
    pub(crate) subject: Subject,
    /// Where it was found by it.
    discord_name: Option<String>,
    is_linked: bool,
    /// On a game server now.
    is_playing: bool,
}

impl Possible {
    fn new(who: Who, subject: Subject, is_linked: bool) -> Self {
        Self { who, subject, discord_name: None, is_linked, is_playing: false }
    }

    fn linked(visit: &GuildVisit, link: &link::Model) -> Self {
        Self::new(Who::linked(visit, link), Subject::Play(link.play_id), true)
    }

    fn on_discord(named: Named) -> Self {
        let Named { name, chat, member } = named;
        let is_linked = member.is_some();
        let who = member.unwrap_or_else(|| Who::named(Subject::Chat(chat), name.clone()));
        let subject = who.play.map_or(Subject::Chat(chat), Subject::Play);
        Self { discord_name: Some(name), ..Self::new(who, subject, is_linked) }
    }

    /// Whether the text is one of their names.
    pub(crate) fn is_named(&self, typed: &str) -> bool {
        let same = |name: &str| name.to_lowercase() == typed.to_lowercase();
        same(&self.who.name) || self.discord_name.as_deref().is_some_and(same)
    }

    fn about(&self) -> String {
        let on_discord = self.discord_name.as_ref().filter(|name| **name != self.who.name);
        let parts = [
            on_discord.map(|name| format!("{name} on Discord")),
            self.who.play.map(|play| format!("Roblox {play}")),
            self.who.chat.map(|chat| format!("Discord {chat}")),
            (!self.is_linked).then(|| "not linked".to_owned()),
            self.is_playing.then(|| "in game".to_owned()),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }
}

/// Those who may be meant, the likeliest first.
pub(crate) async fn possible(
    visit: &GuildVisit,
    typed: &str,
    among: Among<'_>,
) -> Result<Vec<Possible>, PageError> {
    let mut found = match among {
        Among::Playing(server) => playing(visit, server, typed).await?,
        _ => Vec::new(),
    };
    if among != Among::Players && visit.may("lookup.read") {
        for link in linked(visit, typed).await? {
            add(&mut found, Possible::linked(visit, &link));
        }
        if found.len() < SHOWN && is_part(typed) {
            for named in ByDiscordName::read(visit, typed).await?.found {
                add(&mut found, Possible::on_discord(named));
            }
        }
    }
    if among != Among::Members
        && let Ok(Some(player)) = visit.console.player_names.find(visit.call_context(), typed).await
    {
        let subject = Subject::Play(player.id);
        if found.iter().all(|one| one.subject != subject) {
            let (conn, guild) = (visit.read(), visit.guild.guild_id);
            // Linked under an earlier name.
            let link = link::find_by_play(conn, guild, player.id).await?.filter(|_| visit.may("lookup.read"));
            let unlinked = || Possible::new(Who::named(subject, player.name.clone()), subject, false);
            let one = link.map_or_else(unlinked, |link| Possible {
                who: Who { name: player.name.clone(), ..Who::linked(visit, &link) },
                ..Possible::linked(visit, &link)
            });
            // The whole name comes before parts of names.
            let at = found.iter().position(|one| !one.is_named(typed)).unwrap_or(found.len());
            found.insert(at, one);
        }
    }
    if let Among::Playing(_) = among {
        found.retain(|one| matches!(one.subject, Subject::Play(_)));
    }
    found.truncate(SHOWN);
    Ok(found)
}

/// Those on game servers whose name has the text in it.
async fn playing(visit: &GuildVisit, server: Option<&str>, typed: &str) -> Result<Vec<Possible>, PageError> {
    let (conn, guild, now) = (visit.read(), visit.guild.guild_id, visit.now());
    if !is_part(typed) || !visit.may("moderation.read") {
        return Ok(Vec::new());
    }
    let servers = match server {
        Some(server) => present::find(conn, guild, server).await?.into_iter().collect(),
        None => present::list(conn, guild, now, SERVERS).await?,
    };
    let plays = servers.iter().filter_map(|server| server.list(now)).flat_map(|(list, _)| list);
    let subjects: Vec<_> = plays.take(PLAYING).copied().map(Subject::Play).collect();
    let people = People::read(visit, subjects.iter().copied()).await?;
    let sees_links = visit.may("lookup.read");
    let (mut found, typed) = (Vec::new(), typed.to_lowercase());
    for subject in subjects {
        let who = people.who(visit, subject);
        if who.name.to_lowercase().contains(&typed) {
            let is_linked = !sees_links || who.chat.is_some();
            add(&mut found, Possible { is_playing: true, ..Possible::new(who, subject, is_linked) });
        }
    }
    Ok(found)
}

fn is_part(typed: &str) -> bool {
    typed.chars().count() >= PART_MIN
}

/// By id, or by a part of the name on Roblox: names that begin with it come first.
async fn linked(visit: &GuildVisit, typed: &str) -> Result<Vec<link::Model>, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let mut found = Vec::new();
    found.extend(match typed.parse() {
        Ok(Subject::Chat(chat)) => link::find_by_chat(conn, guild, chat).await?,
        Ok(Subject::Play(play)) => link::find_by_play(conn, guild, play).await?,
        Err(_) => None,
    });
    if !is_part(typed) {
        return Ok(found);
    }
    let most = SHOWN as u64;
    found.extend(link_search::by_name(conn, guild, typed, most).await?);
    if found.len() < SHOWN {
        let sorted = entities::Sorted::ascending(link_search::Key::Name);
        found.extend(link_search::containing(conn, guild, typed, sorted, (None, most)).await?);
    }
    Ok(found)
}

fn add(found: &mut Vec<Possible>, one: Possible) {
    match found.iter_mut().find(|known| known.subject == one.subject) {
        Some(known) => known.discord_name = known.discord_name.take().or(one.discord_name),
        None => found.push(one),
    }
}

/// As a list shows them, with who is banned for people who may see bans.
pub(crate) async fn shown(visit: &GuildVisit, possible: Vec<Possible>) -> Result<Vec<Candidate>, PageError> {
    let banned = banned(visit, possible.iter().map(|one| &one.who)).await?;
    let shown = |one: &Possible| {
        let name = &one.who.name;
        let is_only_one = possible.iter().filter(|other| other.is_named(name)).count() == 1;
        // A member whom Discord alone knows is found by the id.
        let by_name = one.who.play.is_some() && is_only_one && name.parse::<Subject>().is_err();
        Candidate {
            id: one.subject.to_string(),
            value: if by_name { name.clone() } else { one.subject.to_string() },
            initials: one.who.initials(),
            tone: one.who.tone(),
            about: one.about(),
            is_banned: is_banned(&banned, &one.who),
            name: name.clone(),
        }
    };
    Ok(possible.iter().map(shown).collect())
}

/// The accounts of those who are banned; none for people who may not see bans.
pub(crate) async fn banned(
    visit: &GuildVisit,
    people: impl Iterator<Item = &Who>,
) -> Result<HashSet<Subject>, PageError> {
    let people: Vec<_> = people.map(|who| Person { chat: who.chat, play: who.play }).collect();
    let active = in_force(visit, &people).await?;
    let bans = active.iter().filter(|row| row.kind == SanctionKind::Ban);
    Ok(bans.filter_map(sanction::Model::subject).collect())
}

/// Their bans and mutes; none for people who may not see them.
pub(crate) async fn in_force(
    visit: &GuildVisit,
    people: &[Person],
) -> Result<Vec<sanction::Model>, PageError> {
    if people.is_empty() || !visit.may("moderation.read") {
        return Ok(Vec::new());
    }
    Ok(sanction::active::of_people(visit.read(), visit.guild.guild_id, people, visit.now()).await?)
}

pub(crate) fn is_banned(banned: &HashSet<Subject>, who: &Who) -> bool {
    let accounts = [who.chat.map(Subject::Chat), who.play.map(Subject::Play)];
    accounts.iter().flatten().any(|account| banned.contains(account))
}
