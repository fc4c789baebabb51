//! POST /guilds/:guildId/keys (docs/rules.md 1): the text of the new key is in this answer and nowhere else.

use entities::api_key::{self, NewKey, Scope, Scopes};
use entities::key_text::KeyText;
use runtime::Event;

use crate::endpoints::guilds::keys::record::{ApiKey, NewApiKey, ScopeName, check_factor, lock, require_all};
use crate::endpoints::prelude::*;
use crate::request::moment::End;
use crate::request::values::{List, Whole};

request! {
    pub(crate) struct KeyRequest {
        /// What it is for.
        #[example("game servers")]
        name: Text<100>,
        /// What it may do; the caller needs each of them itself.
        scopes: List<ScopeName, { Scope::ALL.len() }>,
        /// Not later than that of the calling key. Absent: it expires with the calling key.
        expires_at: Option<End>,
        /// Factor on the rate limits of game servers: not above that of the calling key, nor above what the operator allows
        /// (10, unless they set it). Default: 1.
        #[example(5)]
        hot_path_factor: Option<Whole<1, 1000>>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("createKey", "Make a key")
        .about(
            "The key's owner is the caller, and the calling key its parent. Its text is in this answer only, which is never stored: a request with \
             `Idempotency-Key` is refused.",
        )
        .body::<KeyRequest>()
        .data::<NewApiKey>()
        .message("key created")
        .refuses(400, &["idempotency_not_supported"])
        .refuses(422, &["no_scopes", "expiry_in_past", "expiry_after_caller", "factor_too_large", "factor_above_caller", "too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let KeyRequest { name: Text(name), scopes, expires_at, hot_path_factor } = call.body()?;
    let scopes: Scopes = scopes.0.into_iter().map(|scope| scope.0).collect();
    if scopes.is_empty() {
        return Err(ApiError::rule(
            "no_scopes",
            "`scopes` must name at least one: a key without scopes has no rights",
        ));
    }
    require_all(&call, scopes)?;
    let expires_at = expires_at.map(|end| end.0);
    if expires_at.is_some_and(|end| end <= call.now()) {
        return Err(ApiError::rule("expiry_in_past", "`expires_at` must be in the future"));
    }
    let hot_path_factor = hot_path_factor.map_or(1, |Whole(factor)| factor);
    check_factor(&call, hot_path_factor)?;
    let (text, owner) = (KeyText::generate(), call.caller.user());
    let new = NewKey {
        guild: call.guild(),
        text: text.clone(),
        name,
        owner,
        scopes,
        expires_at,
        hot_path_factor,
        parent: None,
        trusted: false,
    };
    let mut work = UnitOfWork::begin(&call).await?;
    let new = match lock(&call, work.tx(), &[]).await?.0 {
        Some(parent) if parent.expires_at.is_some_and(|end| new.expires_at > Some(end)) => {
            return Err(ApiError::rule(
                "expiry_after_caller",
                "`expires_at` must not be later than that of the key that calls",
            ));
        }
        Some(parent) if new.hot_path_factor > parent.hot_path_factor => {
            return Err(ApiError::rule(
                "factor_above_caller",
                "`hot_path_factor` must not be above that of the key that calls",
            ));
        }
        Some(parent) => new.made_by(&parent),
        None => new,
    };
    call.room_for(work.tx(), Cap::Keys, 1).await?;
    let row = api_key::create(work.tx(), new, work.now()).await?;
    work.audit("keys.create", &row.public_id, row.described());
    work.announce([Event::KeyChanged { public_id: row.public_id.clone() }]);
    let shown = NewApiKey { key: ApiKey::new(&row, work.now()), text: text.reveal() };
    work.commit(Reply::data(&shown)?.with_message("key created")).await
}
