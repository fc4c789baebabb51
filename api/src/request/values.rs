//! Types of field values; each defines the allowed values.

use std::borrow::Cow;

use entities::audit_entry::Source;
use entities::binding::Kind;
use entities::quota::{Metric, Period};
use entities::server_command::AckStatus;
use entities::staff_action::ActionType;
use entities::{
    ActionId, AttemptId, AuditId, BindingId, ChannelId, ChatId, CommandId, CommentId, GroupId, GroupRoleId,
    GuildId, ImportId, JobId, KeyId, LeaveRequestId, LoaId, Moderator, NoteId, PanelId, PendingId, PlaceId,
    PlayId, QuotaId, RoleId, SanctionId, StrikeId, Subject, SubmissionId, UniverseId, WebhookId,
    application_submission, job, leave_request, link_attempt, loa,
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::request::parts::{Field, is_rounded, object, whole};
use crate::response::error::ApiError;
use crate::schema::shape::{self, Shape, alternatives, answered, integer_or_digits};

/// Types that are read as serde reads them.
macro_rules! by_serde {
    ($allowed:expr, $shape:expr; $($name:ty),+) => {
        $(impl $crate::request::parts::Field for $name {
            fn allowed() -> std::borrow::Cow<'static, str> {
                $allowed.into()
            }

            fn read(sent: &serde_json::Value) -> Option<Self> {
                serde::Deserialize::deserialize(sent).ok()
            }

            fn shape() -> $crate::schema::shape::Shape {
                $shape
            }
        })+
    };
}

pub(crate) use by_serde;

by_serde!("a string of digits without sign or leading zero that fits 63 bits", answered::<Self>(); GuildId, ChatId, RoleId, ChannelId);
by_serde!("a UUID", answered::<Self>(); AttemptId, CommandId, JobId);
// The values of an enum, by their serde names.
by_serde!(alternatives::<Self>(), answered::<Self>(); application_submission::State, Kind, ActionType, leave_request::State, loa::Status, link_attempt::State, Metric, Period, AckStatus, job::Status, Source);

/// Types that may be sent as integers, if a float can hold them.
macro_rules! by_number {
    ($allowed:expr, $shape:expr; $($name:ty),+) => {
        $(impl Field for $name {
            fn allowed() -> Cow<'static, str> {
                $allowed.into()
            }

            fn read(sent: &Value) -> Option<Self> {
                if is_rounded(sent) { None } else { serde::Deserialize::deserialize(sent).ok() }
            }

            fn shape() -> Shape {
                $shape
            }

            fn refuse(name: &str, sent: &Value) -> ApiError {
                if is_rounded(sent) { refuse_rounded(name, sent) } else { ApiError::field(name, sent, &Self::allowed()) }
            }
        })+
    };
}

by_number!("a positive integer (or the same as a digit string) that fits 63 bits", integer_or_digits::<Self>(); PlayId, GroupId, GroupRoleId, BindingId, PanelId, SubmissionId, CommentId, LoaId, LeaveRequestId, StrikeId, NoteId, QuotaId, PendingId, ActionId, AuditId, SanctionId, KeyId, WebhookId, ImportId);
by_number!("0 or a positive integer (or the same as a digit string) that fits 63 bits", integer_or_digits::<Self>(); PlaceId, UniverseId);
by_number!("a chat user id (17 digits or more) or a game user id, as a string of digits or an integer", shape::subject(); Subject);

by_number!("a chat user id (17 digits or more), a game user id or 0, as a string of digits or an integer", shape::moderator(); Moderator);

pub(crate) fn refuse_rounded(name: &str, sent: &Value) -> ApiError {
    ApiError::field(name, sent, "sent as a string of digits: many clients round numbers from 2^53 on")
}

/// A player, or a test player of the studio: their ids are below zero, and the service does not know them
/// (docs/rules.md 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub(crate) enum OrTest<T> {
    Player(T),
    Test(i64),
}

impl<T> OrTest<T> {
    pub(crate) fn player(self) -> Option<T> {
        match self {
            Self::Player(player) => Some(player),
            Self::Test(_) => None,
        }
    }
}

impl<T: Field> Field for OrTest<T> {
    fn allowed() -> Cow<'static, str> {
        format!("{}, or the negative id of a test player", T::allowed()).into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let test = || match sent {
            Value::String(text) => test_player(text),
            _ if is_rounded(sent) => None,
            _ => sent.as_i64().filter(|id| *id < 0),
        };
        T::read(sent).map(Self::Player).or_else(|| test().map(Self::Test))
    }

    fn read_text(sent: &str) -> Option<Self> {
        test_player(sent).map(Self::Test).or_else(|| T::read_text(sent).map(Self::Player))
    }

    fn shape() -> Shape {
        shape::any_of([T::shape(), shape::test_player()])
    }

    fn refuse(name: &str, sent: &Value) -> ApiError {
        if is_rounded(sent) {
            refuse_rounded(name, sent)
        } else {
            ApiError::field(name, sent, &Self::allowed())
        }
    }
}

fn test_player(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-')?;
    let canonical = digits.starts_with(|first: char| first.is_ascii_digit() && first != '0');
    if canonical { text.parse().ok() } else { None }
}

impl Field for bool {
    fn allowed() -> Cow<'static, str> {
        "true or false".into()
    }

    fn read(sent: &Value) -> Option<Self> {
        sent.as_bool()
    }

    fn read_text(sent: &str) -> Option<Self> {
        sent.parse().ok()
    }

    fn shape() -> Shape {
        shape::flag(true)
    }
}

/// Null is a value: "none".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Nullable<T>(pub(crate) Option<T>);

impl<T: Field> Field for Nullable<T> {
    fn allowed() -> Cow<'static, str> {
        T::allowed()
    }

    fn read(sent: &Value) -> Option<Self> {
        if sent.is_null() { Some(Self(None)) } else { T::read(sent).map(|value| Self(Some(value))) }
    }

    fn shape() -> Shape {
        T::shape().nullable()
    }

    fn refuse(name: &str, sent: &Value) -> ApiError {
        T::refuse(name, sent)
    }
}

/// 1 to `MAX` characters (not bytes).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text<const MAX: usize = 1000>(pub(crate) String);

impl<const MAX: usize> Field for Text<MAX> {
    fn allowed() -> Cow<'static, str> {
        format!("a string of 1 to {MAX} characters, not blank").into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let text = sent.as_str()?;
        // A blank text counts as empty.
        let fits = !text.trim().is_empty() && text.chars().count() <= MAX;
        fits.then(|| Self(text.to_owned()))
    }

    fn shape() -> Shape {
        shape::text(MAX, "exploiting")
    }
}

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

    fn shape() -> Shape {
        shape::whole(MIN.into(), MAX.into(), MIN.into())
    }
}

/// Maximum ids of a batch (docs/rules.md 3).
pub(crate) type Batch<T> = List<T, 200>;

/// Any JSON object of at most `MAX` bytes as compact JSON; an empty array counts as an empty object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SizedObject<const MAX: usize>(pub(crate) Map<String, Value>);

impl<const MAX: usize> Field for SizedObject<MAX> {
    fn allowed() -> Cow<'static, str> {
        format!("an object of at most {MAX} bytes").into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let fields = object(sent)?;
        (json_size(&fields) <= MAX).then(|| Self(fields.into_owned()))
    }

    fn shape() -> Shape {
        shape::free(serde_json::json!({})).about(&format!("At most {} KiB.", MAX / 1024))
    }

    /// The error names the size of an object that is too large.
    fn refuse(name: &str, sent: &Value) -> ApiError {
        match object(sent) {
            Some(fields) => {
                let size = format!("{} bytes", json_size(&fields));
                ApiError::field(name, &size.into(), &Self::allowed())
            }
            None => ApiError::field(name, sent, &Self::allowed()),
        }
    }
}

/// Bytes as JSON.
pub(crate) fn json_size(value: &impl Serialize) -> usize {
    serde_json::to_string(value).map_or(usize::MAX, |text| text.len())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct List<T, const MAX: usize>(pub(crate) Vec<T>);

impl<T: Field, const MAX: usize> Field for List<T, MAX> {
    fn allowed() -> Cow<'static, str> {
        format!("an array of at most {MAX} items, each {}", T::allowed()).into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let items = sent.as_array().filter(|items| items.len() <= MAX)?;
        items.iter().map(|item| T::read(&whole(item))).collect::<Option<_>>().map(Self)
    }

    fn shape() -> Shape {
        shape::batch(T::shape(), MAX)
    }

    /// The error names the item: `chat_ids[3]`.
    fn refuse(name: &str, sent: &Value) -> ApiError {
        let size = format!("an array of at most {MAX} items");
        let Value::Array(items) = sent else { return ApiError::field(name, sent, &size) };
        if items.len() > MAX {
            return ApiError::field(name, &format!("{} items", items.len()).into(), &size);
        }
        let refused = items.iter().enumerate().find(|(_, item)| T::read(&whole(item)).is_none());
        let (index, item) = refused.unwrap_or((0, sent));
        T::refuse(&format!("{name}[{index}]"), item)
    }
}

#[cfg(test)]
mod tests;
