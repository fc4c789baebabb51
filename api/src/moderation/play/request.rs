//! The bodies of ban, unban, mute and unmute.

use std::borrow::Cow;
use std::time::Duration;

use entities::{ChatId, PlaceId, Subject, Timestamp};
use serde_json::Value;

use crate::call::Call;
use crate::fields::{Field, Fields, Text};
use crate::http::error::ApiError;
use crate::time::whole_second_from;

/// Who is banned or muted, by whom, why, where and until when.
pub(super) struct SanctionRequest {
    pub(super) subject: Subject,
    pub(super) moderator: ChatId,
    pub(super) reason: String,
    pub(super) place: Option<PlaceId>,
    pub(super) expires_at: Option<Timestamp>,
    pub(super) now: Timestamp,
}

impl SanctionRequest {
    pub(super) fn read(call: &Call) -> Result<Self, ApiError> {
        let (fields, now) = (&call.fields, call.now());
        let lasts = fields.optional::<DurationSeconds>("duration_seconds")?;
        Ok(Self {
            subject: fields.required("identifier")?,
            moderator: fields.required("moderator_id")?,
            reason: fields.required::<Text>("reason")?.0,
            place: fields.optional("place_id")?,
            expires_at: lasts.map(|lasts| lasts.end(now)),
            now,
        })
    }
}

/// Whose ban or mute is lifted, and by whom; without a place all of them.
pub(super) struct LiftRequest {
    pub(super) subject: Subject,
    pub(super) moderator: ChatId,
    pub(super) reason: Option<String>,
    pub(super) place: Option<PlaceId>,
}

impl LiftRequest {
    pub(super) fn read(fields: &Fields) -> Result<Self, ApiError> {
        Ok(Self {
            subject: fields.required("identifier")?,
            moderator: fields.required("moderator_id")?,
            reason: fields.optional::<Text>("reason")?.map(|text| text.0),
            place: fields.optional("place_id")?,
        })
    }
}

/// How long a ban or mute lasts, in seconds: 1 to 100 years (docs/rules.md 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DurationSeconds(u64);

const LONGEST: u64 = 3_153_600_000;

impl DurationSeconds {
    /// On a whole second, which is what clients are shown, and never before its time is over (docs/rules.md 8).
    fn end(self, from: Timestamp) -> Timestamp {
        whole_second_from(from) + Duration::from_secs(self.0)
    }
}

impl Field for DurationSeconds {
    fn allowed() -> Cow<'static, str> {
        format!("an integer from 1 to {LONGEST}, or null for ever").into()
    }

    fn read(sent: &Value) -> Option<Self> {
        sent.as_u64().filter(|seconds| (1..=LONGEST).contains(seconds)).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_sentence_lasts_from_a_second_to_a_hundred_years() {
        for fine in [1, 60, LONGEST] {
            assert_eq!(DurationSeconds::read(&json!(fine)), Some(DurationSeconds(fine)));
        }
        for bad in [json!(0), json!(-1), json!(1.5), json!("60"), json!(LONGEST + 1), json!(true)] {
            assert_eq!(DurationSeconds::read(&bad), None, "{bad}");
        }
    }

    #[test]
    fn it_ends_on_a_whole_second_and_lasts_no_less_than_its_time() {
        let from: Timestamp = "2026-11-20T12:00:00.987654Z".parse().unwrap();
        assert_eq!(DurationSeconds(5).end(from), "2026-11-20T12:00:06Z".parse::<Timestamp>().unwrap());
        let whole: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        assert_eq!(DurationSeconds(5).end(whole), "2026-11-20T12:00:05Z".parse::<Timestamp>().unwrap());
        let century: Timestamp = "2126-10-27T12:00:01Z".parse().unwrap();
        assert_eq!(DurationSeconds(LONGEST).end(from), century);
    }
}
