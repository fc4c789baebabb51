//! Lists of permissions in requests: known names without duplicates; may be empty.

use std::borrow::Cow;

use entities::staff_role::{CHAT_PERMISSIONS, PLAY_PERMISSIONS};
use serde_json::Value;

use crate::openapi::shape::{self, Shape};
use crate::request::parts::Field;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PermissionNames<const IN_GAMES: bool>(pub(crate) Vec<String>);

pub(crate) type ChatPermissionNames = PermissionNames<false>;
pub(crate) type PlayPermissionNames = PermissionNames<true>;

impl<const IN_GAMES: bool> PermissionNames<IN_GAMES> {
    fn known() -> &'static [&'static str] {
        if IN_GAMES { &PLAY_PERMISSIONS } else { &CHAT_PERMISSIONS }
    }
}

impl<const IN_GAMES: bool> Field for PermissionNames<IN_GAMES> {
    fn allowed() -> Cow<'static, str> {
        format!("an array of different strings out of {}", Self::known().join(", ")).into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let names: Vec<&str> = sent.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
        let fits = |(n, name): (usize, &&str)| Self::known().contains(name) && !names[..n].contains(name);
        let all = names.iter().enumerate().all(fits);
        all.then(|| Self(names.iter().map(|name| (*name).to_owned()).collect()))
    }

    fn shape() -> Shape {
        shape::batch(shape::word(Self::known()), Self::known().len())
    }
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
