//! Timestamps in responses: UTC, whole seconds, `Z` (docs/rules.md 8).

use std::borrow::Cow;

use chrono::{SecondsFormat, SubsecRound, TimeDelta};
use entities::Timestamp;
use serde::{Serialize, Serializer};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::openapi::{KnownFormat, RefOr};
use utoipa::{PartialSchema, ToSchema};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seconds(pub(crate) Timestamp);

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
