//! Lists of permissions in requests: known names without duplicates; may be empty.

use std::borrow::Cow;

use entities::staff_role::{CHAT_PERMISSIONS, PLAY_PERMISSIONS};
use serde_json::Value;

use crate::openapi::shape::{self, Shape};
use crate::request::field::Field;

/// On the chat side.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ChatPermissionNames(pub(crate) Vec<String>);

/// In games.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PlayPermissionNames(pub(crate) Vec<String>);

impl Field for ChatPermissionNames {
    fn allowed() -> Cow<'static, str> {
        allowed(&CHAT_PERMISSIONS)
    }

    fn read(sent: &Value) -> Option<Self> {
        names(sent, &CHAT_PERMISSIONS).map(Self)
    }

    fn shape() -> Shape {
        shape::batch(shape::word(&CHAT_PERMISSIONS), CHAT_PERMISSIONS.len())
    }
}

impl Field for PlayPermissionNames {
    fn allowed() -> Cow<'static, str> {
        allowed(&PLAY_PERMISSIONS)
    }

    fn read(sent: &Value) -> Option<Self> {
        names(sent, &PLAY_PERMISSIONS).map(Self)
    }

    fn shape() -> Shape {
        shape::batch(shape::word(&PLAY_PERMISSIONS), PLAY_PERMISSIONS.len())
    }
}

fn allowed(known: &[&str]) -> Cow<'static, str> {
    format!("an array of different strings out of {}", known.join(", ")).into()
}

fn names(sent: &Value, known: &[&str]) -> Option<Vec<String>> {
    let names: Vec<&str> = sent.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    let fits = |(n, name): (usize, &&str)| known.contains(name) && !names[..n].contains(name);
    names.iter().enumerate().all(fits).then(|| names.iter().map(|name| (*name).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn permissions_are_known_and_unique() {
        assert_eq!(ChatPermissionNames::read(&json!([])), Some(ChatPermissionNames::default()));
        let two = ChatPermissionNames::read(&json!(["lookup.read", "moderation.write"]));
        assert_eq!(two.unwrap().0.len(), 2);
        assert_eq!(PlayPermissionNames::read(&json!(["kick"])).unwrap().0, ["kick"]);
        for bad in [
            json!("lookup.read"),
            json!(["lookup.read", "lookup.read"]),
            json!([""]),
            json!([1]),
            json!(["kick"]),
        ] {
            assert_eq!(ChatPermissionNames::read(&bad), None, "{bad}");
        }
        assert_eq!(PlayPermissionNames::read(&json!(["lookup.read"])), None);
    }
}
