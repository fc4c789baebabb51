//! `Idempotency-Key` on any write (docs/rules.md 8): reserve, run, store the response in the transaction of the change.
//!
//! A repeat gets the first response; if a job produces that response, the repeat waits for the job. A refused request
//! releases its key. A reservation without a response or a job expires after 10 s, and another request can take it
//! over; the first request then fails at its commit.

use std::sync::Arc;
use std::time::Duration;

use entities::KeyId;
use entities::idempotency::{self, Hold, Model, Reservation};
use http::{HeaderMap, StatusCode};
use sea_orm::ConnectionTrait;
use sha2::{Digest, Sha256};
use tracing::Instrument;

use crate::call::Call;
use crate::call::route::{Route, Runs};
use crate::response::error::ApiError;
use crate::response::idempotency_slot::IdempotencySlot;
use crate::response::reply::Reply;
use crate::state::State;

const HEADER: &str = "idempotency-key";
/// Why an endpoint refuses the header.
const SECRET: &str = "this answer holds a secret that is never stored, so it cannot be repeated: send no \
                      `Idempotency-Key`, list the keys and revoke what was not received";
const MAX_LEN: usize = 255;
const ALLOWED: &str = "1 to 255 printable ASCII characters";
/// Expiry of a reservation without a response or a job: the time in which clients of a dead process must repeat, and
/// longer than a request takes to commit one or the other.
const LOCK: Duration = Duration::from_secs(10);
/// How long a response is replayed.
const ANSWERS_KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// The key of a write.
pub(crate) fn key_for(route: &Route, headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let key = if route.writes { key_of(headers)? } else { None };
    if key.is_some() && route.answers_secret {
        return Err(ApiError::body("idempotency_not_supported", SECRET));
    }
    Ok(key)
}

fn key_of(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut values = headers.get_all(HEADER).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let refused = |sent: &str| ApiError::field("Idempotency-Key", &sent.into(), ALLOWED);
    if values.any(|other| other != value) {
        return Err(refused("two different values"));
    }
    let visible = (1..=MAX_LEN).contains(&value.len())
        && value.as_bytes().iter().all(|byte| (b' '..=b'~').contains(byte));
    match value.to_str() {
        Ok(key) if visible => Ok(Some(key.to_owned())),
        _ => Err(refused(&String::from_utf8_lossy(value.as_bytes()))),
    }
}

/// Runs the handler once for each key, or replays the response of the first run.
pub(crate) async fn run(
    mut call: Call,
    route: &'static Route,
    (key_id, key): (KeyId, String),
    path: &str,
) -> Result<Reply, ApiError> {
    let hash = Sha256::new().chain_update(route.method.as_str()).chain_update([0]).chain_update(path);
    let hash = hash.chain_update(call.query.canonical());
    let hash = hash.chain_update([0]).chain_update(call.body.canonical()).finalize().to_vec();
    let request = idempotency::Request { key: key_id, idempotency_key: key, hash };
    let found = {
        // Requests that are worked on together reserve their keys one by one.
        let _turn =
            if route.runs == Runs::InBatches { call.state.turns.take(call.guild()).await } else { None };
        find(&call, request).await?
    };
    let slot = match found {
        Found::Answer(reply) => return Ok(reply),
        Found::Slot(slot) => slot,
    };
    let state = call.state.clone();
    call.idempotency = Some(slot.clone());
    let mut unfinished = Unfinished(Some((state.clone(), slot.clone())));
    let result = route.run(call).await;
    unfinished.0 = None;
    settle(state.context.database.write(), &slot, result).await
}

async fn settle<C: ConnectionTrait>(
    conn: &C,
    slot: &IdempotencySlot,
    result: Result<Reply, ApiError>,
) -> Result<Reply, ApiError> {
    match result {
        Ok(mut reply) => {
            // A response not committed with a change: there was no change, or a job made it. 202 is not final.
            if !reply.kept && reply.status == StatusCode::OK {
                slot.keep(conn, &reply).await?;
            }
            reply.replayed = slot.first_job.is_some();
            Ok(reply)
        }
        Err(error) => {
            idempotency::release(conn, &slot.hold).await?;
            Err(if slot.first_job.is_some() { error.replayed() } else { error })
        }
    }
}

enum Found {
    Answer(Reply),
    /// Proceed, or wait for the job of the first request.
    Slot(IdempotencySlot),
}

async fn find(call: &Call, request: idempotency::Request) -> Result<Found, ApiError> {
    let now = call.now();
    let (conn, locked_until) = (call.state.context.database.write(), now + LOCK);
    match idempotency::reserve(conn, &request, now, locked_until, now + ANSWERS_KEPT).await? {
        Reservation::Fresh => {
            let hold = Hold { request, locked_until };
            Ok(Found::Slot(IdempotencySlot { hold, first_job: None }))
        }
        Reservation::Taken(row) if row.request_hash != request.hash => Err(ApiError::rule(
            "idempotency_key_reused",
            "this Idempotency-Key was used for another request; a new request needs a new key",
        )),
        Reservation::Taken(row) => first_answer(request, row),
        Reservation::Contended => Err(ApiError::still_running()),
    }
}

fn first_answer(request: idempotency::Request, row: Model) -> Result<Found, ApiError> {
    let Model { status, body, location, job_id, locked_until, .. } = row;
    let status =
        status.and_then(|status| u16::try_from(status).ok()).and_then(|s| StatusCode::from_u16(s).ok());
    match (status, body, job_id) {
        (Some(status), Some(body), _) => Ok(Found::Answer(Reply::stored(status, body, location))),
        (_, _, Some(job)) => {
            let hold = Hold { request, locked_until };
            Ok(Found::Slot(IdempotencySlot { hold, first_job: Some(job) }))
        }
        _ => Err(ApiError::still_running()),
    }
}

/// A request cancelled midway (by its timeout or a shutdown) releases its key. Committed responses stay: only a
/// reservation without response and job is released.
struct Unfinished(Option<(Arc<State>, IdempotencySlot)>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        let Some((state, slot)) = self.0.take() else { return };
        let tracker = state.context.shutdown.tracker().clone();
        let releasing = async move {
            if let Err(error) = idempotency::release(state.context.database.write(), &slot.hold).await {
                tracing::warn!(%error, "an idempotency key stays reserved until it lapses");
            }
        };
        tracker.spawn(releasing.in_current_span());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_must_be_visible_text() {
        let sent = |value: &str| HeaderMap::from_iter([(HEADER.parse().unwrap(), value.parse().unwrap())]);
        assert_eq!(key_of(&sent("a-1")).unwrap().as_deref(), Some("a-1"));
        assert_eq!(key_of(&HeaderMap::new()).unwrap(), None);
        assert!(key_of(&sent(&"x".repeat(255))).is_ok());
        assert!(key_of(&sent("a b")).is_ok());
        for bad in ["", "é", &"x".repeat(256)] {
            let error = key_of(&sent(bad)).unwrap_err();
            assert!(error.parts().message.starts_with("`Idempotency-Key` must be"), "{bad:?}");
        }
    }
}
