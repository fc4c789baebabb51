//! What values fields take: each type says what it allows, in the words of the refusal.

use std::borrow::Cow;

use entities::binding::Kind;
use entities::loa;
use entities::quota::{Metric, Period};
use entities::staff_action::ActionType;
use entities::{
    BindingId, ChannelId, ChatId, GroupId, GuildId, PanelId, PlaceId, PlayId, RoleId, Subject, SubmissionId,
    UniverseId,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::object;

pub(crate) trait Field: Sized {
    /// Completes "must be …".
    fn allowed() -> Cow<'static, str>;
    fn read(sent: &Value) -> Option<Self>;
}

macro_rules! by_serde {
    ($allowed:literal: $($name:ty),+) => {
        $(impl Field for $name {
            fn allowed() -> Cow<'static, str> {
                $allowed.into()
            }

            fn read(sent: &Value) -> Option<Self> {
                Self::deserialize(sent).ok()
            }
        })+
    };
}

by_serde!("a string of digits without sign or leading zero that fits 63 bits": GuildId, ChatId, RoleId, ChannelId);
by_serde!("a positive integer (or the same as a digit string) that fits 63 bits": PlayId, GroupId, BindingId, PlaceId, UniverseId, PanelId, SubmissionId);
by_serde!("\"group_rank\"": Kind);
by_serde!("true or false": bool);
by_serde!("one of ban, unban, mute, unmute, warn, kick, custom": ActionType);
by_serde!("a chat user id (17 digits or more) or a game user id, as a string of digits or an integer": Subject);
by_serde!("\"active\" or \"expired\"": loa::Status);
by_serde!("an action type, \"minutes\" or \"sessions\"": Metric);
by_serde!("\"day\", \"week\", \"month\" or \"all\"": Period);

/// Null is a value: "none".
impl<T: Field> Field for Option<T> {
    fn allowed() -> Cow<'static, str> {
        T::allowed()
    }

    fn read(sent: &Value) -> Option<Self> {
        if sent.is_null() { Some(None) } else { T::read(sent).map(Some) }
    }
}

/// 1 to `MAX` characters (not bytes).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text<const MAX: usize = 1000>(pub(crate) String);

impl<const MAX: usize> Field for Text<MAX> {
    fn allowed() -> Cow<'static, str> {
        format!("a string of 1 to {MAX} characters").into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let text = sent.as_str()?;
        // A blank text says as little as an empty one.
        let fits = !text.trim().is_empty() && text.chars().count() <= MAX;
        fits.then(|| Self(text.to_owned()))
    }
}

/// An integer from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Whole<const MIN: i32, const MAX: i32>(pub(crate) i32);

impl<const MIN: i32, const MAX: i32> Field for Whole<MIN, MAX> {
    fn allowed() -> Cow<'static, str> {
        format!("an integer from {MIN} to {MAX}").into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let number = i32::try_from(sent.as_i64()?).ok()?;
        (MIN..=MAX).contains(&number).then_some(Self(number))
    }
}

/// Any JSON object; an empty array is an empty one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Object(pub(crate) Map<String, Value>);

impl Field for Object {
    fn allowed() -> Cow<'static, str> {
        "an object".into()
    }

    fn read(sent: &Value) -> Option<Self> {
        object(sent).map(|fields| Self(fields.into_owned()))
    }
}
