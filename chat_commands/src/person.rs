//! The person that a command is about: a member of the server, or a player by name or id.

use std::collections::HashMap;

use entities::{Person, PlayId, Subject, link, link_search};
use people::typed_player;

use crate::call::{Call, Problem};
use crate::definition::{Kind, Parameter};
use crate::interaction::Options;
use crate::message::plain;

pub(crate) const MEMBER: &str = "member";
pub(crate) const PLAYER: &str = "player";

pub(crate) fn member(description: &'static str) -> Parameter {
    Parameter::new(Kind::User, MEMBER, description)
}

pub(crate) fn player() -> Parameter {
    Parameter::new(Kind::Text, PLAYER, "Or a Roblox name or id, in the server or not").at_most(100)
}

/// Somebody, with the name by which a message calls them.
pub(crate) struct Target {
    pub(crate) subject: Subject,
    /// Formatted.
    pub(crate) name: String,
}

impl Target {
    /// `None`: neither option was filled in.
    pub(crate) async fn read(call: &Call, options: &Options) -> Result<Option<Self>, Problem> {
        match (options.read(MEMBER), options.text(PLAYER)) {
            (Some(_), player) if !player.is_empty() => {
                Err(Problem::refused("Name a member or a player, not both."))
            }
            (Some(chat), _) => Ok(Some(Self { subject: Subject::Chat(chat), name: call.mention(chat) })),
            (None, "") => Ok(None),
            (None, typed) => {
                let (id, name) = player_of(call, typed).await?;
                Ok(Some(Self { subject: Subject::Play(id), name: format!("**{}**", plain(&name)) }))
            }
        }
    }

    pub(crate) async fn required(call: &Call, options: &Options) -> Result<Self, Problem> {
        let target = Self::read(call, options).await?;
        target.ok_or_else(|| Problem::refused("Say who: choose a member, or give a Roblox name or id."))
    }

    /// Both accounts, if they are linked here.
    pub(crate) async fn person(&self, call: &Call) -> Result<Person, Problem> {
        Ok(Person::resolve(call.read(), call.guild.guild_id, self.subject).await?)
    }
}

/// A player by id or address, or by name: a linked one first, as the guild knows them, then whom Roblox has by that name.
pub(crate) async fn player_of(call: &Call, typed: &str) -> Result<(PlayId, String), Problem> {
    let (conn, guild) = (call.read(), call.guild.guild_id);
    let name = match typed_player(typed) {
        Ok(id) => return by_id(call, id).await,
        Err(name) => name,
    };
    // Only people who may look members up learn from a name who is linked.
    let found =
        if call.may("lookup.read") { link_search::by_name(conn, guild, name, 1).await? } else { Vec::new() };
    if let Some(link) = found.into_iter().find(|link| link.play_username.eq_ignore_ascii_case(name)) {
        return Ok((link.play_id, link.play_username));
    }
    match call.platforms().play.find_by_name(call.platform(), name).await? {
        Some(player) => Ok((player.id, player.name)),
        None => Err(Problem::refused(format!("Roblox has no account named {}.", plain(name)))),
    }
}

async fn by_id(call: &Call, id: PlayId) -> Result<(PlayId, String), Problem> {
    let known = link::find_by_play(call.read(), call.guild.guild_id, id).await?;
    let name = match known {
        Some(link) => Some(link.play_username),
        None => call.platforms().play.usernames(call.platform(), &[id]).await?.remove(&id),
    };
    name.map(|name| (id, name)).ok_or_else(|| Problem::refused("Roblox has no account with this id."))
}

/// How a message calls these accounts: members by the platform's present name, players by that of their link or of Roblox.
pub(crate) async fn names_of(
    call: &Call,
    subjects: impl Iterator<Item = Subject>,
) -> Result<HashMap<Subject, String>, Problem> {
    let (mut names, mut plays) = (HashMap::new(), Vec::new());
    for subject in subjects {
        match subject {
            Subject::Chat(chat) => {
                names.insert(subject, call.mention(chat));
            }
            Subject::Play(play) => plays.push(play),
        }
    }
    let links = link::find_by_plays(call.read(), call.guild.guild_id, &plays).await?;
    let mut known: HashMap<_, _> = links.into_iter().map(|link| (link.play_id, link.play_username)).collect();
    plays.retain(|play| !known.contains_key(play));
    if !plays.is_empty() {
        // Without an answer of Roblox the list has ids.
        known.extend(call.platforms().play.usernames(call.platform(), &plays).await.unwrap_or_default());
        known.extend(
            plays
                .iter()
                .filter(|play| !known.contains_key(play))
                .map(|play| (*play, format!("Roblox {play}")))
                .collect::<Vec<_>>(),
        );
    }
    names
        .extend(known.into_iter().map(|(play, name)| (Subject::Play(play), format!("**{}**", plain(&name)))));
    Ok(names)
}
