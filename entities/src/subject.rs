//! The account that a ban or mute names, and the known accounts of one person (docs/rules.md 4).

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

use crate::ids::IntegerOrDigits;
use crate::{ChatId, Conn, GuildId, IdError, PlayId, Result, link};

/// An identifier with at least this many digits is a chat id.
const CHAT_ID_DIGITS: usize = 17;

/// The `identifier` of a request: 17 or more digits are a chat id, fewer a game id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    Chat(ChatId),
    Play(PlayId),
}

impl Subject {
    pub fn chat(self) -> Option<ChatId> {
        match self {
            Self::Chat(chat) => Some(chat),
            Self::Play(_) => None,
        }
    }

    pub fn play(self) -> Option<PlayId> {
        match self {
            Self::Chat(_) => None,
            Self::Play(play) => Some(play),
        }
    }
}

impl FromStr for Subject {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let chat: ChatId = text.parse()?;
        if text.len() >= CHAT_ID_DIGITS {
            return Ok(Self::Chat(chat));
        }
        PlayId::try_from(chat.get()).map(Self::Play)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chat(chat) => chat.fmt(f),
            Self::Play(play) => play.fmt(f),
        }
    }
}

impl utoipa::PartialSchema for Subject {
    fn schema() -> RefOr<Schema> {
        let digits = ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[1-9][0-9]{0,18}$"));
        Schema::Object(digits.examples(["4815162342"]).build()).into()
    }
}

impl utoipa::ToSchema for Subject {}

impl Serialize for Subject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Subject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = deserializer.deserialize_any(IntegerOrDigits)?;
        number.to_string().parse().map_err(serde::de::Error::custom)
    }
}

/// Who imposes or lifts a sanction: a person by either account, or the system, which is 0 (docs/rules.md 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moderator {
    System,
    Account(Subject),
}

impl Moderator {
    /// The chat account must be looked up.
    pub fn play(self) -> Option<PlayId> {
        match self {
            Self::Account(subject) => subject.play(),
            Self::System => None,
        }
    }

    /// The recorded id. For a game account it is the linked chat account, or else the game id.
    pub fn noted(self, linked: impl FnOnce(PlayId) -> Option<ChatId>) -> ChatId {
        match self {
            Self::System => ChatId::SYSTEM,
            Self::Account(Subject::Chat(chat)) => chat,
            Self::Account(Subject::Play(play)) => {
                linked(play).or_else(|| play.get().try_into().ok()).unwrap_or(ChatId::SYSTEM)
            }
        }
    }
}

impl FromStr for Moderator {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        if text == "0" { Ok(Self::System) } else { text.parse().map(Self::Account) }
    }
}

impl<'de> Deserialize<'de> for Moderator {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = deserializer.deserialize_any(IntegerOrDigits)?;
        number.to_string().parse().map_err(serde::de::Error::custom)
    }
}

/// One or both accounts of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Person {
    pub chat: Option<ChatId>,
    pub play: Option<PlayId>,
}

impl From<Subject> for Person {
    fn from(subject: Subject) -> Self {
        Self { chat: subject.chat(), play: subject.play() }
    }
}

impl From<&link::Model> for Person {
    fn from(link: &link::Model) -> Self {
        Self { chat: Some(link.chat_id), play: Some(link.play_id) }
    }
}

impl Person {
    pub fn accounts(self) -> impl Iterator<Item = Subject> + Send {
        [self.chat.map(Subject::Chat), self.play.map(Subject::Play)].into_iter().flatten()
    }

    /// The person behind an identifier, with the other account where the guild has a link.
    pub async fn resolve(conn: &impl Conn, guild: GuildId, subject: Subject) -> Result<Self> {
        let people = Self::resolve_all(conn, guild, &[subject]).await?;
        Ok(people.into_iter().next().unwrap_or_else(|| subject.into()))
    }

    /// The same for several, in their order.
    pub async fn resolve_all(conn: &impl Conn, guild: GuildId, subjects: &[Subject]) -> Result<Vec<Self>> {
        let chats: Vec<_> = subjects.iter().filter_map(|subject| subject.chat()).collect();
        let plays: Vec<_> = subjects.iter().filter_map(|subject| subject.play()).collect();
        let mut known = HashMap::new();
        if !chats.is_empty() {
            let links = link::find_by_chats(conn, guild, &chats).await?;
            known.extend(links.iter().map(|link| (Subject::Chat(link.chat_id), Self::from(link))));
        }
        if !plays.is_empty() {
            let links = link::find_by_plays(conn, guild, &plays).await?;
            known.extend(links.iter().map(|link| (Subject::Play(link.play_id), Self::from(link))));
        }
        Ok(subjects
            .iter()
            .map(|&subject| known.get(&subject).copied().unwrap_or_else(|| subject.into()))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seventeen_digits_make_a_chat_id() {
        let play: Subject = "9999999999999999".parse().unwrap();
        assert_eq!(play, Subject::Play(9_999_999_999_999_999.try_into().unwrap()));
        let chat: Subject = "10000000000000000".parse().unwrap();
        assert_eq!(chat, Subject::Chat(10_000_000_000_000_000.try_into().unwrap()));
        for bad in ["", "0", "007", "-5", "12a", "92233720368547758080"] {
            assert!(bad.parse::<Subject>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn identifiers_are_read_as_integer_or_digits_and_written_as_string() {
        for text in ["123", r#""123""#] {
            assert_eq!(serde_json::from_str::<Subject>(text).unwrap().to_string(), "123");
        }
        let chat: Subject = serde_json::from_str(r#""1000000000000000001""#).unwrap();
        assert_eq!(serde_json::to_string(&chat).unwrap(), r#""1000000000000000001""#);
        assert!(chat.chat().is_some());
    }
}
