//! Values from game servers: names of servers, targets, counts.

use std::borrow::Cow;

use serde_json::Value;

use crate::request::parts::{Field, is_rounded};
use crate::request::values::refuse_rounded;
use crate::response::error::ApiError;
use crate::schema::shape::{self, Shape};

/// Characters of a server id; game platforms use 36.
const SERVER_MAX: usize = 200;
/// Characters of a target.
const TARGET_MAX: usize = 200;
/// Letters of a command's type.
const KIND_MAX: usize = 50;

/// The id a game server gives itself; empty in the studio.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerId(pub(crate) String);

impl Field for ServerId {
    fn allowed() -> Cow<'static, str> {
        format!("a string of at most {SERVER_MAX} characters, empty or not blank").into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let text = sent.as_str()?;
        let id = if text.is_empty() { Some(String::new()) } else { fitting(text, SERVER_MAX) };
        id.map(Self)
    }

    fn shape() -> Shape {
        shape::string("f3b1c2d4-server-7").about("At most 200 characters, not blank; empty in the studio.")
    }
}

/// The target of an action, usually a game user's id: game scripts send those as integer too (docs/rules.md 2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target(pub(crate) String);

impl Field for Target {
    fn allowed() -> Cow<'static, str> {
        format!("a string of 1 to {TARGET_MAX} characters, not blank, or a positive integer").into()
    }

    fn read(sent: &Value) -> Option<Self> {
        match sent {
            _ if is_rounded(sent) => None,
            Value::Number(number) => number.as_i64().filter(|n| *n > 0).map(|n| Self(n.to_string())),
            _ => fitting(sent.as_str()?, TARGET_MAX).map(Self),
        }
    }

    fn shape() -> Shape {
        shape::any_of([shape::text(TARGET_MAX, "4815162342"), shape::number(1, 4_815_162_342)])
    }

    fn refuse(name: &str, sent: &Value) -> ApiError {
        if is_rounded(sent) {
            refuse_rounded(name, sent)
        } else {
            ApiError::field(name, sent, &Self::allowed())
        }
    }
}

/// The command's type: a word that the game defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandKind(pub(crate) String);

impl Field for CommandKind {
    fn allowed() -> Cow<'static, str> {
        format!("a word such as \"kick\": 1 to {KIND_MAX} letters, digits, `_`, `-` or `.`").into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let text = fitting(sent.as_str()?, KIND_MAX)?;
        let word = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
        word.then_some(Self(text))
    }

    fn shape() -> Shape {
        shape::matching("^[A-Za-z0-9_.-]{1,50}$", "kick")
    }
}

/// Not blank, and not longer than `max` characters.
fn fitting(text: &str, max: usize) -> Option<String> {
    (!text.trim().is_empty() && text.chars().count() <= max).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn targets_are_texts_or_positive_integers() {
        assert_eq!(Target::read(&json!(17)), Target::read(&json!("17")));
        for bad in [
            json!(0),
            json!(-1),
            json!(1.5),
            json!(""),
            json!(" "),
            json!(null),
            json!("x".repeat(201)),
            json!(9_007_199_254_740_992_i64),
        ] {
            assert_eq!(Target::read(&bad), None, "{bad}");
        }
    }

    #[test]
    fn a_command_is_a_word() {
        for fine in ["kick", "server.restart", "give-item_2"] {
            assert!(CommandKind::read(&json!(fine)).is_some(), "{fine}");
        }
        for bad in ["", "kick all", "kick;", "é", &"k".repeat(51)] {
            assert!(CommandKind::read(&json!(bad)).is_none(), "{bad}");
        }
    }

    #[test]
    fn server_ids_count_characters() {
        assert!(ServerId::read(&json!("é".repeat(200))).is_some());
        assert!(ServerId::read(&json!("x".repeat(201))).is_none());
        assert_eq!(ServerId::read(&json!("")), Some(ServerId(String::new())));
        assert!(ServerId::read(&json!(" ")).is_none());
    }
}
