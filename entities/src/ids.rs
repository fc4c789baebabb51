//! Typed ids. They do not mix: a `ChatId` cannot be passed where a `PlayId` is meant.
//!
//! Chat ids travel as digit strings that fit 63 bits, without sign or leading zero (docs/rules.md 2); ids of the game
//! platform travel as integers, and a request may send them as digit strings too. All are `bigint` in the database.

use std::fmt;
use std::str::FromStr;

use chrono::DateTime;
use sea_orm::DeriveValueType;
use serde::de::{Error as _, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::openapi::{KnownFormat, RefOr};

use crate::Timestamp;

/// Milliseconds of the first second of ids of chat users.
const FIRST_CHAT_ID: i64 = 1_420_070_400_000;
/// Bits of an id below its milliseconds.
const BELOW_MILLIS: u32 = 22;

/// Why a text is not an id. The error does not repeat the text: the caller names the field and the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    #[error("must be a string of digits without sign or leading zero that fits 63 bits")]
    NotAChatId,
    #[error("must be a positive integer (or the same as a digit string) that fits 63 bits")]
    NotAPlayId,
    #[error("must be 0 or a positive integer (or the same as a digit string) that fits 63 bits")]
    NotAPlaceId,
}

fn digits(text: &str) -> Option<i64> {
    let canonical = (text == "0" || !text.starts_with('0')) && text.bytes().all(|b| b.is_ascii_digit());
    if canonical { text.parse().ok() } else { None }
}

macro_rules! id_base {
    ($name:ident, $least:literal, $error:expr) => {
        impl $name {
            pub fn get(self) -> i64 {
                self.0
            }
        }

        impl TryFrom<i64> for $name {
            type Error = IdError;

            fn try_from(value: i64) -> Result<Self, IdError> {
                if value >= $least { Ok(Self(value)) } else { Err($error) }
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                digits(text).ok_or($error).and_then(Self::try_from)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

/// How the API's documentation describes an id.
macro_rules! id_schema {
    ($name:ident, $about:expr, $object:expr) => {
        impl utoipa::PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                Schema::Object($object.description(Some($about.trim())).build()).into()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

macro_rules! chat_id {
    ($(#[doc = $about:literal])* $name:ident, $example:literal) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, DeriveValueType)]
        pub struct $name(i64);
        id_base!($name, 1, IdError::NotAChatId);
        id_schema!($name, concat!($($about),*), ObjectBuilder::new()
            .schema_type(Type::String)
            .pattern(Some("^[1-9][0-9]{0,18}$"))
            .examples([$example]));

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(D::Error::custom)
            }
        }
    };
}

macro_rules! integer_id {
    ($(#[doc = $about:literal])* $name:ident, $example:literal) => {
        integer_id!($(#[doc = $about])* $name, $example, 1, IdError::NotAPlayId);
    };
    ($(#[doc = $about:literal])* $name:ident, $example:literal, $least:literal, $error:expr) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, DeriveValueType)]
        pub struct $name(i64);
        id_base!($name, $least, $error);
        id_schema!($name, concat!($($about),*), ObjectBuilder::new()
            .schema_type(Type::Integer)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
            .minimum(Some($least))
            .examples([$example]));

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_i64(self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(IntegerOrDigits).and_then(|n| Self::try_from(n).map_err(D::Error::custom))
            }
        }
    };
}

/// 0 is the studio, an id like any other (docs/rules.md 7).
macro_rules! place_id {
    ($(#[doc = $about:literal])* $name:ident, $example:literal) => {
        integer_id!($(#[doc = $about])* $name, $example, 0, IdError::NotAPlaceId);
    };
}

macro_rules! uuid_id {
    ($(#[doc = $about:literal])* $name:ident) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, DeriveValueType)]
        #[serde(transparent)]
        pub struct $name(pub uuid::Uuid);
        id_schema!($name, concat!($($about),*), ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::Custom("uuid".to_owned())))
            .examples(["0193a1c2-7c1e-7a55-9d0e-3f1b6a2c4d5e"]));

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                text.parse().map(Self)
            }
        }

        impl sea_orm::TryFromU64 for $name {
            fn try_from_u64(_: u64) -> Result<Self, sea_orm::DbErr> {
                Err(sea_orm::DbErr::ConvertFromU64(stringify!($name)))
            }
        }
    };
}

/// Accepts integers and digit strings, because game scripts mix them (docs/rules.md 2).
pub(crate) struct IntegerOrDigits;

impl Visitor<'_> for IntegerOrDigits {
    type Value = i64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an integer or a string of digits")
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<i64, E> {
        Ok(value)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<i64, E> {
        i64::try_from(value).map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<i64, E> {
        digits(value).ok_or_else(|| E::invalid_value(Unexpected::Str(value), &self))
    }
}

/// Declares ids of one kind, each with an example.
macro_rules! ids {
    ($kind:ident: $($(#[doc = $about:literal])* $name:ident $(= $example:literal)?,)+) => {
        $($kind!($(#[doc = $about])* $name $(, $example)?);)+
    };
}

ids! { chat_id:
    /// A chat guild: the tenant.
    GuildId = "712345678901234567",
    /// A chat user.
    ChatId = "812345678901234567",
    /// A chat role.
    RoleId = "912345678901234567",
    /// A chat channel.
    ChannelId = "912345678901239999",
}

impl ChatId {
    /// The actor that is not a person: the service itself, or a game's anti-cheat (docs/rules.md 4).
    pub const SYSTEM: Self = Self(0);

    /// What ids that are made from then on are not below.
    pub fn first_at(at: Timestamp) -> Self {
        Self((at.timestamp_millis() - FIRST_CHAT_ID).max(0) << BELOW_MILLIS)
    }

    /// When the account was made: ids of the chat platform begin with the time.
    pub fn made_at(self) -> Option<Timestamp> {
        DateTime::from_timestamp_millis((self.0 >> BELOW_MILLIS) + FIRST_CHAT_ID)
    }
}

ids! { integer_id:
    /// A game user.
    PlayId = 4_815_162_342_i64,
    /// A game group.
    GroupId = 4242,
    /// A role of a game group, the platform's own id.
    GroupRoleId = 99_513_316,
    /// A role binding, assigned by the database.
    BindingId = 17,
    /// An API key's row, assigned by the database. Not the public id in the key's text.
    KeyId = 3,
    /// An audit entry, assigned by the database; also the cursor of its list.
    AuditId = 90,
    /// A ban or mute, assigned by the database.
    SanctionId = 41,
    /// A Shield flag, assigned by the database.
    FlagId = 7,
    /// A leave of absence, assigned by the database.
    LoaId = 12,
    /// A request for a leave of absence, assigned by the database.
    LeaveRequestId = 8,
    /// A strike, assigned by the database.
    StrikeId = 5,
    /// A note about a staff member, assigned by the database.
    NoteId = 8,
    /// A staff action, assigned by the database; also the cursor of its list.
    ActionId = 31,
    /// A quota, assigned by the database.
    QuotaId = 3,
    /// An action that waits for approval, assigned by the database.
    PendingId = 31,
    /// An application panel, numbered in each guild.
    PanelId = 2,
    /// An application's submission, numbered in each guild.
    SubmissionId = 17,
    /// A comment on an application, assigned by the database.
    CommentId = 12,
    /// A ticket, assigned by the database.
    TicketId = 6,
    /// A webhook, assigned by the database.
    WebhookId = 4,
    /// An import of links or bans, assigned by the database.
    ImportId = 9,
}

ids! { place_id:
    /// A place of a game: what a game server runs; 0 in the studio.
    PlaceId = 920_587_237,
    /// A game: one or more places; 0 in the studio.
    UniverseId = 302_110,
}

ids! { uuid_id:
    /// A job: a UUID of version 7, so ids sort by the time of enqueueing.
    JobId,
    /// A staff member's session in a game.
    SessionId,
    /// An attempt to link: a UUID of version 7, so ids sort by the time at which it began.
    AttemptId,
    /// A command for a game server: a UUID of version 7, so ids sort by the time of issue.
    CommandId,
}

#[cfg(test)]
mod tests;
