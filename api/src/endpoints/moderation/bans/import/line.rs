//! A line of an import of bans: what is wrong with it does not refuse the others.

use std::borrow::Cow;

use entities::{ChatId, Moderator, PlayId, Subject, Timestamp};
use serde_json::Value;

use crate::endpoints::imports::optional;
use crate::endpoints::prelude::*;
use crate::request::moment::{End, Moment};
use crate::request::parts::Field;
use crate::schema::shape::{self, Property, Shape};

/// One of the accounts is enough.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BanLine {
    pub(crate) chat: Option<ChatId>,
    pub(crate) play: Option<PlayId>,
    pub(crate) name: Option<String>,
    pub(crate) reason: Option<String>,
    /// `None`: permanent.
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) moderator: Option<Moderator>,
    pub(crate) banned_at: Option<Timestamp>,
    /// The game platform does not know the account.
    pub(crate) unknown: bool,
    /// The field that is absent or not allowed.
    pub(crate) wrong: Option<&'static str>,
}

impl BanLine {
    /// `None`: not allowed, or a name that is not known.
    pub(crate) fn subject(&self) -> Option<Subject> {
        let subject = self.play.map(Subject::Play).or(self.chat.map(Subject::Chat));
        subject.filter(|_| self.wrong.is_none() && !self.unknown)
    }
}

impl Field for BanLine {
    fn allowed() -> Cow<'static, str> {
        "an object with one of `play_id`, `play_username` and `chat_id`".into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let object = sent.as_object()?;
        let mut line = Self::default();
        let mut wrong = Vec::new();
        macro_rules! take {
            ($($name:literal => $field:ident as $type:ty, $value:expr;)+) => {
                $(match optional::<$type>(object.get($name)) {
                    Ok(value) => line.$field = value.map($value),
                    Err(()) => wrong.push($name),
                })+
            };
        }
        take! {
            "chat_id" => chat as ChatId, |id| id;
            "play_id" => play as PlayId, |id| id;
            "play_username" => name as Text, |Text(name)| name;
            "reason" => reason as Text, |Text(reason)| reason;
            "expires_at" => expires_at as End, |End(at)| at;
            "moderator_id" => moderator as Moderator, |id| id;
            "banned_at" => banned_at as Moment, |Moment(at)| at;
        }
        let named = line.chat.is_some() || line.play.is_some() || line.name.is_some();
        line.wrong = wrong.first().copied().or_else(|| (!named).then_some("play_id"));
        Some(line)
    }

    /// Values of any form are taken: what is not allowed is answered for the line.
    fn shape() -> Shape {
        let field = |name, shape| Property { name, required: false, shape };
        shape::object([
            field("chat_id", shape::string("812345678901234567")),
            field("play_id", shape::integer(4_815_162_342)),
            field("play_username", shape::string("Brickmason")),
            field("reason", shape::string("exploits")),
            field("expires_at", shape::string("2030-04-12T20:33:21Z")),
            field("moderator_id", shape::string("812345678901234567")),
            field("banned_at", shape::string("2024-04-12T20:33:21Z")),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_its_own_fault() {
        let wrong = |sent: Value| BanLine::read(&sent).map(|line| line.wrong);
        for good in [
            json!({ "play_id": 8 }),
            json!({ "play_username": "a", "expires_at": null, "reason": "" }),
            json!({ "chat_id": "812345678901234567", "moderator_id": "0", "expires_at": "2030-01-01T00:00:00+02:00" }),
        ] {
            assert_eq!(wrong(good.clone()), Some(None), "{good}");
        }
        for (bad, field) in [
            (json!({ "reason": "x" }), "play_id"),
            (json!({ "play_id": "x" }), "play_id"),
            (json!({ "play_id": 8, "expires_at": "tomorrow" }), "expires_at"),
            (json!({ "play_id": 8, "moderator_id": "ann" }), "moderator_id"),
            (json!({ "play_id": 8, "banned_at": 5 }), "banned_at"),
            (json!({ "play_id": 8, "reason": "x".repeat(1_001) }), "reason"),
        ] {
            assert_eq!(wrong(bad.clone()), Some(Some(field)), "{bad}");
        }
        assert_eq!(wrong(json!(7)), None);
    }
}
