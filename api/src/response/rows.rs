//! How a response shows rows and their times.

use std::borrow::Cow;

use chrono::{SecondsFormat, SubsecRound, TimeDelta};
use entities::Timestamp;
use serde::{Serialize, Serializer};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::openapi::{KnownFormat, RefOr};
use utoipa::{PartialSchema, ToSchema};

/// A time: UTC, whole seconds, `Z` (docs/rules.md 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seconds(pub(crate) Timestamp);

impl From<Timestamp> for Seconds {
    fn from(moment: Timestamp) -> Self {
        Self(moment)
    }
}

impl PartialSchema for Seconds {
    fn schema() -> RefOr<Schema> {
        let object = ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .pattern(Some("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"))
            .description(Some("UTC, whole seconds."));
        Schema::Object(object.examples(["2026-04-12T18:33:21Z"]).build()).into()
    }
}

impl ToSchema for Seconds {
    fn name() -> Cow<'static, str> {
        "Timestamp".into()
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_rfc3339_opts(SecondsFormat::Secs, true))
    }
}

/// The first whole second that is not before `moment`, so that an end is neither shown nor applied early.
pub(crate) fn whole_second_from(moment: Timestamp) -> Timestamp {
    let second = moment.trunc_subsecs(0);
    if second < moment { second + TimeDelta::seconds(1) } else { second }
}

/// Declares a struct of an answer that shows a row. A field without an expression is the row's column of the same name;
/// the comment of a field is its public documentation. With `at now` the row is shown as it stands at that time, by
/// `new(&row, now)`.
macro_rules! answer {
    ($(#[$meta:meta])* $vis:vis struct $name:ident from $row:ident: $model:ty $(, at $now:ident)? {
        $($(#[$about:meta])* $field_vis:vis $field:ident: $type:ty $(= $value:expr)?),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(serde::Serialize, utoipa::ToSchema)]
        $vis struct $name {
            $($(#[$about])* $field_vis $field: $type),*
        }

        $crate::response::rows::made_from! {
            $name $row: $model $(, $now)? { $($field: $crate::response::rows::column!($row $field $($value)?)),* }
        }
    };
}
pub(crate) use answer;

macro_rules! made_from {
    ($name:ident $row:ident: $model:ty, $now:ident { $($fields:tt)* }) => {
        impl $name {
            pub(crate) fn new($row: &$model, $now: entities::Timestamp) -> Self {
                Self { $($fields)* }
            }
        }
    };
    ($name:ident $row:ident: $model:ty { $($fields:tt)* }) => {
        impl From<&$model> for $name {
            fn from($row: &$model) -> Self {
                Self { $($fields)* }
            }
        }

        impl From<$model> for $name {
            fn from(row: $model) -> Self {
                Self::from(&row)
            }
        }
    };
}
pub(crate) use made_from;

macro_rules! column {
    ($row:ident $field:ident) => {
        $row.$field.clone().into()
    };
    ($row:ident $field:ident $value:expr) => {
        $value
    };
}
pub(crate) use column;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_the_next_whole_second() {
        let end = |text: &str| whole_second_from(text.parse().unwrap()).to_rfc3339();
        assert_eq!(end("2026-01-02T03:04:05.000001Z"), "2026-01-02T03:04:06+00:00");
        assert_eq!(end("2026-01-02T03:04:05Z"), "2026-01-02T03:04:05+00:00");
    }

    #[test]
    fn fractions_are_cut_and_the_zone_is_z() {
        let time =
            "2026-01-02T03:04:05.987654+02:00".parse::<chrono::DateTime<chrono::FixedOffset>>().unwrap();
        assert_eq!(serde_json::to_string(&Seconds(time.to_utc())).unwrap(), r#""2026-01-02T01:04:05Z""#);
    }
}
