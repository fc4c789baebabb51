//! The requests that impose and lift bans and mutes.

use std::borrow::Cow;
use std::time::Duration;

use entities::{Moderator, PlaceId, SanctionId, SanctionKind, Subject, Timestamp};
use serde_json::Value;

use crate::endpoints::prelude::*;
use crate::openapi::shape::{self, Shape};
use crate::request::parts::Field;
use crate::response::rows::whole_second_from;

request! {
    pub(crate) struct SanctionRequest {
        identifier: Subject,
        reason: Text,
        moderator_id: Moderator,
        /// Null or absent: permanent.
        duration_seconds: Option<DurationSeconds>,
        /// Null or absent: every game of the guild.
        place_id: Option<PlaceId>,
    }
}

request! {
    pub(crate) struct LiftRequest {
        identifier: Subject,
        moderator_id: Moderator,
        #[example("appeal accepted")]
        reason: Option<Text>,
        /// Null or absent: those of every place.
        place_id: Option<PlaceId>,
        /// Only the one with this id. Null or absent: all that match the other fields.
        id: Option<SanctionId>,
    }
}

/// A request to execute.
pub(crate) struct Order {
    pub(super) call: Call,
    pub(super) kind: SanctionKind,
    pub(super) wanted: Wanted,
}

pub(crate) enum Wanted {
    Imposed(SanctionRequest, fn(Imposed) -> Result<Reply, ApiError>),
    Lifted(LiftRequest, fn(LiftedSanctions) -> Result<Reply, ApiError>),
}

pub(crate) struct Imposed {
    pub(crate) id: SanctionId,
    pub(crate) expires_at: Option<Seconds>,
    /// Of the guild's moderation after this change.
    pub(crate) revision: i64,
}

pub(crate) struct LiftedSanctions {
    pub(crate) ids: Vec<SanctionId>,
    /// With a place or an id: another sanction is still in force there.
    pub(crate) still: bool,
}

impl Order {
    pub(super) fn moderator(&self) -> Moderator {
        match &self.wanted {
            Wanted::Imposed(request, _) => request.moderator_id,
            Wanted::Lifted(request, _) => request.moderator_id,
        }
    }

    pub(super) fn subject(&self) -> Subject {
        match &self.wanted {
            Wanted::Imposed(request, _) => request.identifier,
            Wanted::Lifted(request, _) => request.identifier,
        }
    }

    /// A moderator named by a key was not signed in: the audit entry and the staff action say so
    /// (docs/rules.md 4).
    pub(super) fn note_moderator(&self, details: &mut Value) {
        if self.call.caller.key().is_some() {
            details["moderator"] = json!("named_by_key");
        }
    }
}

/// Duration of a ban or mute, in seconds: at most 100 years (docs/rules.md 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DurationSeconds(i64);

const LONGEST: i64 = 3_153_600_000;

impl DurationSeconds {
    /// Ends on a whole second, the precision of responses, and never early (docs/rules.md 8).
    pub(super) fn end(self, from: Timestamp) -> Timestamp {
        whole_second_from(from) + Duration::from_secs(self.0.unsigned_abs())
    }
}

impl Field for DurationSeconds {
    fn allowed() -> Cow<'static, str> {
        format!("an integer from 1 to {LONGEST}, or null (permanent)").into()
    }

    fn read(sent: &Value) -> Option<Self> {
        sent.as_i64().filter(|seconds| (1..=LONGEST).contains(seconds)).map(Self)
    }

    fn shape() -> Shape {
        shape::whole(1, LONGEST, 86_400)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sanction_lasts_from_a_second_to_a_hundred_years() {
        for fine in [1, 60, LONGEST] {
            assert_eq!(DurationSeconds::read(&json!(fine)), Some(DurationSeconds(fine)));
        }
        for bad in [json!(0), json!(-1), json!(1.5), json!("60"), json!(LONGEST + 1), json!(true)] {
            assert_eq!(DurationSeconds::read(&bad), None, "{bad}");
        }
    }

    #[test]
    fn an_end_is_a_whole_second_and_never_early() {
        let from: Timestamp = "2026-11-20T12:00:00.987654Z".parse().unwrap();
        assert_eq!(DurationSeconds(5).end(from), "2026-11-20T12:00:06Z".parse::<Timestamp>().unwrap());
        let whole: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        assert_eq!(DurationSeconds(5).end(whole), "2026-11-20T12:00:05Z".parse::<Timestamp>().unwrap());
        let century: Timestamp = "2126-10-27T12:00:01Z".parse().unwrap();
        assert_eq!(DurationSeconds(LONGEST).end(from), century);
    }
}
