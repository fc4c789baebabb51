//! Orders to impose and lift bans and mutes: their requests, and the answers to them.

use std::borrow::Cow;
use std::time::Duration;

use entities::audit_entry::Actor;
use entities::{Moderator, PlaceId, SanctionId, SanctionKind, Subject, Timestamp, sanction};
use jobs::moderation::{Done, Wanted};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::limits::batches::Batches;
use crate::request::parts::{Field, request};
use crate::request::values::Text;
use crate::response::error::ApiError;
use crate::response::idempotency_slot::IdempotencySlot;
use crate::response::reply::Reply;
use crate::response::rows::{Seconds, whole_second_from};
use crate::schema::shape::{self, Shape};

request! {
    pub(crate) struct SanctionRequest {
        identifier: Subject,
        reason: Text,
        moderator_id: Moderator,
        /// Null or absent: permanent.
        duration_seconds: Option<DurationSeconds>,
        /// Null or absent: every game of the guild.
        place_id: Option<PlaceId>,
        /// Of a ban: whether the live game servers of its scope are told to remove the player. Default: true.
        kick: Option<bool>,
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

/// A request that waits for its batch.
pub(crate) struct Order {
    pub(crate) kind: SanctionKind,
    pub(crate) request: Request,
    /// Who sent it.
    pub(crate) actor: Actor,
    pub(crate) idempotency: Option<IdempotencySlot>,
}

pub(crate) enum Request {
    Imposed(SanctionRequest),
    Lifted(LiftRequest),
}

/// Those of each guild that wait.
pub(crate) type Orders = Batches<Order, Result<Reply, ApiError>>;

impl Order {
    pub(crate) fn moderator(&self) -> Moderator {
        match &self.request {
            Request::Imposed(request) => request.moderator_id,
            Request::Lifted(request) => request.moderator_id,
        }
    }

    pub(crate) fn subject(&self) -> Subject {
        match &self.request {
            Request::Imposed(request) => request.identifier,
            Request::Lifted(request) => request.identifier,
        }
    }

    /// Whether it removes players from game servers.
    pub(crate) fn kicks(&self) -> bool {
        self.kind == SanctionKind::Ban
            && matches!(&self.request, Request::Imposed(request) if request.kick.unwrap_or(true))
    }

    /// From `now` on.
    pub(crate) fn wanted(&self, now: Timestamp) -> Wanted {
        let text = |text: &Text| text.0.clone();
        match &self.request {
            Request::Imposed(request) => Wanted::Imposed {
                place: request.place_id,
                reason: text(&request.reason),
                expires_at: request.duration_seconds.map(|duration| duration.end(now)),
                kick: self.kicks(),
            },
            Request::Lifted(request) => Wanted::Lifted {
                place: request.place_id,
                only: request.id,
                reason: request.reason.as_ref().map(text),
            },
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Banned {
    id: SanctionId,
    banned: bool,
    /// Null: never.
    #[schema(required)]
    expires_at: Option<Seconds>,
    /// Of the guild's moderation after this change, to be sent as `since`.
    #[schema(minimum = 0, example = 18)]
    revision: i64,
    /// Live game servers that got a command `kick`.
    #[schema(example = 3)]
    kicks: usize,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Muted {
    id: SanctionId,
    muted: bool,
    /// Null: never.
    #[schema(required)]
    expires_at: Option<Seconds>,
    /// Of the guild's moderation after this change, to be sent as `since`.
    #[schema(minimum = 0, example = 18)]
    revision: i64,
}

/// The answer to an order.
pub(crate) fn reply(kind: SanctionKind, done: &Done, revision: i64) -> Result<Reply, ApiError> {
    match done {
        Done::Imposed { sanction, kicks } => imposed(sanction, revision, *kicks),
        Done::Lifted { ids, still } => lifted(kind, ids.clone(), *still),
    }
}

fn imposed(sanction: &sanction::Model, revision: i64, kicks: usize) -> Result<Reply, ApiError> {
    let (id, expires_at) = (sanction.sanction_id, sanction.expires_at.map(Seconds));
    match sanction.kind {
        SanctionKind::Ban => Ok(Reply::data(&Banned { id, banned: true, expires_at, revision, kicks })?
            .with_message("user banned")),
        SanctionKind::Mute => {
            Ok(Reply::data(&Muted { id, muted: true, expires_at, revision })?.with_message("user muted"))
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Unbanned {
    unbanned: bool,
    /// Ids of the bans that were lifted; there may be none.
    lifted: Vec<SanctionId>,
    /// With `place_id` or `id`: another ban is still in force there.
    still_banned: bool,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Unmuted {
    unmuted: bool,
    /// Ids of the mutes that were lifted; there may be none.
    lifted: Vec<SanctionId>,
    /// With `place_id` or `id`: another mute is still in force there.
    still_muted: bool,
}

/// `still`: another one is in force.
fn lifted(kind: SanctionKind, lifted: Vec<SanctionId>, still: bool) -> Result<Reply, ApiError> {
    let (one, done) = match kind {
        SanctionKind::Ban => ("ban", "unbanned"),
        SanctionKind::Mute => ("mute", "unmuted"),
    };
    let message = match (lifted.is_empty(), still) {
        (true, false) => format!("there was no active {one}"),
        (true, true) => {
            format!("there was no such active {one}; another {one} is still in force there")
        }
        (false, true) => format!("the {one} is lifted; another {one} is still in force there"),
        (false, false) => format!("user {done}"),
    };
    let reply = match kind {
        SanctionKind::Ban => Reply::data(&Unbanned { unbanned: true, lifted, still_banned: still }),
        SanctionKind::Mute => Reply::data(&Unmuted { unmuted: true, lifted, still_muted: still }),
    };
    Ok(reply?.with_message(message))
}

/// Duration of a ban or mute, in seconds: at most 100 years (docs/rules.md 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DurationSeconds(i64);

const LONGEST: i64 = 3_153_600_000;

impl DurationSeconds {
    /// Ends on a whole second, the precision of responses, and never early (docs/rules.md 8).
    pub(crate) fn end(self, from: Timestamp) -> Timestamp {
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
    use serde_json::json;

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
