//! The events of the chat platform that something follows from, read from their text.

use entities::{ChatId, GuildId, RoleId};
use platforms::ChatMember;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use twilight_gateway::Intents;

/// What the stream is asked for. The privileged one is left out where the application does not have it.
pub(crate) fn intents(members: bool) -> Intents {
    let all = Intents::GUILDS | Intents::GUILD_MODERATION;
    if members { all | Intents::GUILD_MEMBERS } else { all }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) guild: GuildId,
    pub(crate) what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Joined(ChatMember),
    /// Roles, nickname or screening.
    Changed(ChatMember),
    Left(ChatId),
    /// Banned, or no longer.
    Ban(ChatId),
    /// Changed, moved or deleted.
    Role(RoleId),
    /// The bot joined the guild, or the guild is back.
    Present,
}

impl What {
    /// For metrics.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Joined(_) => "joined",
            Self::Changed(_) => "changed",
            Self::Left(_) => "left",
            Self::Ban(_) => "ban",
            Self::Role(_) => "role",
            Self::Present => "guild",
        }
    }
}

/// A text of the stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// A new connection: until a session begins or goes on in it, events are late ones.
    Hello,
    /// A new session: events before it may be lost.
    Ready,
    Resumed,
    Event(Event),
    /// Somebody used a command, a button or a form: the event's data.
    Interaction(String),
    /// Nothing follows from it.
    Other,
}

const HELLO: u8 = 10;

#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    op: u8,
    t: Option<String>,
}

#[derive(Deserialize)]
struct Body<T> {
    d: T,
}

#[derive(Deserialize)]
struct UserBody {
    id: ChatId,
    #[serde(default)]
    bot: bool,
}

#[derive(Deserialize)]
struct OfMember {
    guild_id: GuildId,
    #[serde(flatten)]
    member: ChatMember,
}

#[derive(Deserialize)]
struct OfUser {
    guild_id: GuildId,
    user: UserBody,
}

#[derive(Deserialize)]
struct IdBody {
    id: RoleId,
}

#[derive(Deserialize)]
struct RoleBody {
    guild_id: GuildId,
    role: IdBody,
}

#[derive(Deserialize)]
struct DeletedRole {
    guild_id: GuildId,
    role_id: RoleId,
}

#[derive(Deserialize)]
struct GuildBody {
    id: GuildId,
}

/// Reads a text. `Err`: an event that should be known has another form.
pub(crate) fn read(text: &str) -> serde_json::Result<Heard> {
    let Head { op, t } = serde_json::from_str(text)?;
    let Some(name) = t else { return Ok(if op == HELLO { Heard::Hello } else { Heard::Other }) };
    let event = match name.as_str() {
        "READY" => return Ok(Heard::Ready),
        "RESUMED" => return Ok(Heard::Resumed),
        "INTERACTION_CREATE" => {
            return Ok(Heard::Interaction(body::<Box<RawValue>>(text)?.get().to_owned()));
        }
        "GUILD_MEMBER_ADD" => member(text, What::Joined)?,
        "GUILD_MEMBER_UPDATE" => member(text, What::Changed)?,
        "GUILD_MEMBER_REMOVE" => of_user(text, What::Left)?,
        "GUILD_BAN_ADD" | "GUILD_BAN_REMOVE" => of_user(text, What::Ban)?,
        "GUILD_ROLE_CREATE" | "GUILD_ROLE_UPDATE" => {
            let RoleBody { guild_id, role } = body(text)?;
            Some(Event { guild: guild_id, what: What::Role(role.id) })
        }
        "GUILD_ROLE_DELETE" => {
            let DeletedRole { guild_id, role_id } = body(text)?;
            Some(Event { guild: guild_id, what: What::Role(role_id) })
        }
        "GUILD_CREATE" => {
            let GuildBody { id } = body(text)?;
            Some(Event { guild: id, what: What::Present })
        }
        _ => None,
    };
    Ok(event.map_or(Heard::Other, Heard::Event))
}

fn body<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    Ok(serde_json::from_str::<Body<T>>(text)?.d)
}

/// Bots have no links.
fn member(text: &str, what: fn(ChatMember) -> What) -> serde_json::Result<Option<Event>> {
    let OfMember { guild_id, member } = body(text)?;
    Ok((!member.is_bot).then(|| Event { guild: guild_id, what: what(member) }))
}

fn of_user(text: &str, what: fn(ChatId) -> What) -> serde_json::Result<Option<Event>> {
    let OfUser { guild_id, user } = body(text)?;
    Ok((!user.bot).then(|| Event { guild: guild_id, what: what(user.id) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(text: &str) -> Event {
        match read(text).unwrap() {
            Heard::Event(event) => event,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn events_are_read_as_the_platform_writes_them() {
        let joined = r#"{"t":"GUILD_MEMBER_ADD","s":3,"op":0,"d":{"user":{"username":"ada","id":"8","bot":false},
            "roles":["5"],"nick":null,"joined_at":"2026-11-27T08:00:00.123000+00:00","pending":true,
            "guild_id":"7","mute":false,"flags":0}}"#;
        let Event { guild, what } = event(joined);
        let member = ChatMember {
            chat_id: "8".parse().unwrap(),
            username: "ada".to_owned(),
            roles: vec!["5".parse().unwrap()],
            nick: None,
            is_bot: false,
            joined_at: Some("2026-11-27T08:00:00.123Z".parse().unwrap()),
            is_pending: true,
        };
        assert_eq!((guild.get(), what), (7, What::Joined(member)));
        let left = r#"{"t":"GUILD_MEMBER_REMOVE","s":4,"op":0,"d":{"guild_id":"7","user":{"id":"8"}}}"#;
        assert_eq!(event(left).what, What::Left("8".parse().unwrap()));
        let banned =
            r#"{"t":"GUILD_BAN_ADD","s":4,"op":0,"d":{"guild_id":"7","user":{"id":"8","username":"ada"}}}"#;
        assert_eq!(event(banned).what, What::Ban("8".parse().unwrap()));
        let deleted = r#"{"t":"GUILD_ROLE_DELETE","s":5,"op":0,"d":{"guild_id":"7","role_id":"5"}}"#;
        assert_eq!(event(deleted).what, What::Role("5".parse().unwrap()));
    }

    #[test]
    fn an_interaction_is_handed_on_as_it_is() {
        let text =
            r#"{"t":"INTERACTION_CREATE","s":6,"op":0,"d":{"id":"9","type":2, "data":{"name":"link"}}}"#;
        let body = r#"{"id":"9","type":2, "data":{"name":"link"}}"#.to_owned();
        assert_eq!(read(text).unwrap(), Heard::Interaction(body));
        assert!(read(r#"{"t":"INTERACTION_CREATE","s":6,"op":0}"#).is_err());
    }

    #[test]
    fn nothing_follows_from_other_texts() {
        assert_eq!(
            read(r#"{"op":10,"d":{"heartbeat_interval":1},"s":null,"t":null}"#).unwrap(),
            Heard::Hello
        );
        assert_eq!(read(r#"{"op":11,"d":null,"s":null,"t":null}"#).unwrap(), Heard::Other);
        assert_eq!(read(r#"{"op":0,"s":1,"t":"TYPING_START","d":{}}"#).unwrap(), Heard::Other);
        let of_bot = r#"{"t":"GUILD_MEMBER_ADD","s":3,"op":0,"d":{"guild_id":"7","user":{"id":"8","username":"b","bot":true},"roles":[]}}"#;
        assert_eq!(read(of_bot).unwrap(), Heard::Other);
        assert!(read(r#"{"t":"GUILD_MEMBER_REMOVE","op":0,"d":{}}"#).is_err());
    }
}
