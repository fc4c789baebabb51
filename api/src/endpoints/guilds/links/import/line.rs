//! A line of an import: what is wrong with it does not refuse the others.

use std::borrow::Cow;

use entities::{ChatId, PlayId};
use jobs::link_import::Incoming;
use serde_json::Value;

use crate::endpoints::imports::optional;
use crate::endpoints::prelude::*;
use crate::request::parts::Field;
use crate::schema::shape::{self, Property, Shape};

/// Both accounts; one of `play_id` and `play_username` is enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImportLine {
    pub(crate) chat: Option<ChatId>,
    pub(crate) play: Option<PlayId>,
    pub(crate) name: Option<String>,
    /// The field that is absent or not allowed.
    pub(crate) wrong: Option<&'static str>,
}

impl ImportLine {
    /// `None`: not allowed, or an account that is not known.
    pub(crate) fn link(&self) -> Option<Incoming> {
        Some(Incoming {
            chat_id: self.chat.filter(|_| self.wrong.is_none())?,
            play_id: self.play?,
            play_username: self.name.clone()?,
            verified_at: None,
        })
    }
}

impl Field for ImportLine {
    fn allowed() -> Cow<'static, str> {
        "an object with `chat_id`, and `play_id` or `play_username`".into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let object = sent.as_object()?;
        let chat = optional::<ChatId>(object.get("chat_id"));
        let play = optional::<PlayId>(object.get("play_id"));
        let name = optional::<Text>(object.get("play_username"));
        let wrong = match (&chat, &play, &name) {
            (Err(()) | Ok(None), ..) => Some("chat_id"),
            (_, Err(()), _) | (_, Ok(None), Ok(None)) => Some("play_id"),
            (.., Err(())) => Some("play_username"),
            _ => None,
        };
        let name = name.ok().flatten().map(|Text(name)| name);
        Some(Self { chat: chat.ok().flatten(), play: play.ok().flatten(), name, wrong })
    }

    /// Values of any form are taken: what is not allowed is answered for the line.
    fn shape() -> Shape {
        let field = |name, shape| Property { name, required: false, shape };
        shape::object([
            field("chat_id", shape::string("812345678901234567")),
            field("play_id", shape::integer(4_815_162_342)),
            field("play_username", shape::string("Brickmason")),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_its_own_fault() {
        let wrong = |sent: Value| ImportLine::read(&sent).map(|line| line.wrong);
        for good in [
            json!({ "chat_id": "7", "play_id": 8 }),
            json!({ "chat_id": "7", "play_id": "8", "play_username": null }),
            json!({ "chat_id": "7", "play_id": "", "play_username": "a", "more": 1 }),
        ] {
            assert_eq!(wrong(good.clone()), Some(None), "{good}");
        }
        for (bad, field) in [
            (json!({ "play_id": 8 }), "chat_id"),
            (json!({ "chat_id": "x", "play_id": 8 }), "chat_id"),
            (json!({ "chat_id": "7" }), "play_id"),
            (json!({ "chat_id": "7", "play_id": -1, "play_username": "a" }), "play_id"),
            (json!({ "chat_id": "7", "play_id": 8, "play_username": 9 }), "play_username"),
        ] {
            assert_eq!(wrong(bad.clone()), Some(Some(field)), "{bad}");
        }
        assert_eq!(wrong(json!("7,8")), None);
    }
}
