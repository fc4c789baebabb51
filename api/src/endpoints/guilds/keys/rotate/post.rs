//! POST /guilds/:guildId/keys/:publicId/rotate (docs/rules.md 1): a new key like an old one, which stays valid for a while.

use chrono::TimeDelta;
use entities::api_key::{self, Model};
use entities::key_text::KeyText;
use runtime::Event;

use crate::endpoints::guilds::keys::record::{ApiKey, NewApiKey, PublicId, check_factor, lock, require_all};
use crate::endpoints::prelude::*;
use crate::request::values::Whole;

/// How long both keys are valid, unless the request says otherwise.
const OVERLAP: TimeDelta = TimeDelta::hours(24);
/// The longest overlap: 90 days.
const OVERLAP_MAX: i32 = 90 * 24 * 60 * 60;

request! {
    pub(crate) struct RotateKeyRequest {
        /// For how long the old key stays valid, at most; it keeps an earlier expiry. Absent: a day.
        #[example(86_400)]
        overlap_seconds: Option<Whole<0, OVERLAP_MAX>>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("rotateKey", "Replace a key")
        .about(
            "The new key has the name, owner, scopes, factor and lifetime of the old one; its parent is the calling key, \
             and it expires no later than that. Its text is in this answer only, which is never stored: a request with \
             `Idempotency-Key` is refused.",
        )
        .body::<RotateKeyRequest>()
        .data::<NewApiKey>()
        .message("key replaced")
        .refuses(400, &["idempotency_not_supported"])
        .refuses(403, &["key_beyond_caller", "not_administrator"])
        .refuses(409, &["key_over"])
        .refuses(422, &["too_many", "factor_too_large"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let PublicId(public_id) = call.path("publicId")?;
    let RotateKeyRequest { overlap_seconds } = call.body()?;
    let overlap = overlap_seconds.map_or(OVERLAP, |seconds| TimeDelta::seconds(seconds.0.into()));
    let mut work = UnitOfWork::begin(&call).await?;
    let (caller, keys) = lock(&call, work.tx(), &[&public_id]).await?;
    let before = keys.into_iter().find(|key| key.public_id == public_id).or_not_found("key")?;
    require_all(&call, before.scopes())?;
    if let Some(caller) = &caller {
        require_within(&before, caller)?;
        check_factor(&call, before.hot_path_factor)?;
    } else if before.trusted {
        // It proves accounts in all guilds: more than `links`, which only these people get.
        call.caller.administrates("trusted")?;
    }
    call.room_for(work.tx(), Cap::Keys, 1).await?;
    let now = work.now();
    let after = api_key::expire(work.tx(), &public_id, now + overlap, now).await?.ok_or_else(|| {
        ApiError::conflict("key_over", "the key is revoked or expired: create another one instead")
    })?;
    let text = KeyText::generate();
    let new = before.successor(text.clone(), None, now);
    let new = if let Some(caller) = &caller { new.made_by(caller) } else { new };
    let new = api_key::create(work.tx(), new, now).await?;
    work.audit("keys.create", &new.public_id, new.described());
    work.audit("keys.rotate", &public_id, before.rotated(&after, &new));
    for public_id in [public_id, new.public_id.clone()] {
        work.announce([Event::KeyChanged { public_id }]);
    }
    let shown = NewApiKey { key: ApiKey::new(&new, now), text: text.reveal() };
    work.commit(Reply::data(&shown)?.with_message("key replaced")).await
}

/// The caller gets the text of a key with this trust, factor and lifetime, so its own must not be less.
fn require_within(key: &Model, caller: &Model) -> Result<(), ApiError> {
    let beyond = if key.trusted && !caller.trusted {
        "this key is trusted, and the key that calls is not"
    } else if key.hot_path_factor > caller.hot_path_factor {
        "the `hot_path_factor` of this key is larger than that of the key that calls"
    } else if key.outlives(caller) {
        "the `expires_at` of this key is later than that of the key that calls"
    } else {
        return Ok(());
    };
    Err(ApiError::forbidden("key_beyond_caller", beyond))
}
