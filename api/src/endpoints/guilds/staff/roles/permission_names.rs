//! Lists of permissions in requests, without duplicates; may be empty.

use std::borrow::Cow;

use entities::staff_role::{CHAT_PERMISSIONS, PLAY_PERMISSION_MAX, is_play_permission};
use serde_json::Value;

use crate::request::parts::Field;
use crate::schema::shape::{self, Shape};

/// Permissions of a role in games.
const IN_GAMES_MAX: usize = 50;

/// Known names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ChatPermissionNames(pub(crate) Vec<String>);

/// Any words (docs/rules.md 6).
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PlayPermissionNames(pub(crate) Vec<String>);

/// The names, if each is valid and there are no duplicates.
fn names(sent: &Value, fits: impl Fn(&str) -> bool) -> Option<Vec<String>> {
    let names: Vec<&str> = sent.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    let all = names.iter().enumerate().all(|(n, name)| fits(name) && !names[..n].contains(name));
    all.then(|| names.into_iter().map(str::to_owned).collect())
}

impl Field for ChatPermissionNames {
    fn allowed() -> Cow<'static, str> {
        format!("an array of different strings out of {}", CHAT_PERMISSIONS.join(", ")).into()
    }

    fn read(sent: &Value) -> Option<Self> {
        names(sent, |name| CHAT_PERMISSIONS.contains(&name)).map(Self)
    }

    fn shape() -> Shape {
        shape::batch(shape::word(&CHAT_PERMISSIONS), CHAT_PERMISSIONS.len())
    }
}

impl Field for PlayPermissionNames {
    fn allowed() -> Cow<'static, str> {
        let word = format!("1 to {PLAY_PERMISSION_MAX} lower-case letters, digits and `_.:-`");
        format!("an array of at most {IN_GAMES_MAX} different strings, each of {word}").into()
    }

    fn read(sent: &Value) -> Option<Self> {
        names(sent, is_play_permission).filter(|names| names.len() <= IN_GAMES_MAX).map(Self)
    }

    fn shape() -> Shape {
        let word = format!("^[a-z0-9_.:-]{{1,{PLAY_PERMISSION_MAX}}}$");
        shape::batch(shape::matching(&word, "kick"), IN_GAMES_MAX)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn chat_permissions_are_known_and_unique() {
        assert_eq!(ChatPermissionNames::read(&json!([])), Some(ChatPermissionNames::default()));
        let two = ChatPermissionNames::read(&json!(["lookup.read", "moderation.write"]));
        assert_eq!(two.unwrap().0.len(), 2);
        for bad in [
            json!("lookup.read"),
            json!(["lookup.read", "lookup.read"]),
            json!([""]),
            json!([1]),
            json!(["kick"]),
        ] {
            assert_eq!(ChatPermissionNames::read(&bad), None, "{bad}");
        }
    }

    #[test]
    fn permissions_in_games_are_any_unique_words() {
        let long = "a".repeat(50);
        for fine in [json!([]), json!(["kick", "map.vote:start", "a-b_c9"]), json!([long])] {
            assert!(PlayPermissionNames::read(&fine).is_some(), "{fine}");
        }
        let many: Vec<String> = (0..51).map(|n| format!("p{n}")).collect();
        let longer = "a".repeat(51);
        for bad in [
            json!("kick"),
            json!(["kick", "kick"]),
            json!([""]),
            json!(["Kick"]),
            json!(["a b"]),
            json!(["\u{e4}"]),
            json!([longer]),
            json!(many),
        ] {
            assert_eq!(PlayPermissionNames::read(&bad), None, "{bad}");
        }
    }
}
