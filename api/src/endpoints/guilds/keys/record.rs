//! A key as the API shows it, never with its secret; and its scopes and public id in requests.

use std::borrow::Cow;

use entities::api_key::{self, Model, Scope, Scopes, State};
use entities::{ChatId, KeyId};
use runtime::Transaction;
use serde_json::Value;

use crate::cache::keys::Key;
use crate::endpoints::prelude::*;
use crate::request::parts::Field;
use crate::schema::shape::{self, Shape};

answer! {
    pub(crate) struct ApiKey from row: Model, at now {
        #[schema(value_type = i64, minimum = 1, example = 17)]
        pub(crate) id: KeyId = row.key_id,
        /// Names the key: the 8 characters after `gh_` in its text.
        #[schema(example = "k3y8ab1c")]
        pub(crate) public_id: String,
        #[schema(example = "game servers")]
        name: String,
        /// The chat user whom audit entries of its calls name.
        owner_id: ChatId,
        #[schema(example = json!(["read", "play"]))]
        scopes: Vec<&'static str> = row.scopes().iter().map(Scope::name).collect(),
        state: State = row.state(now),
        /// Factor on the rate limits of the hot paths.
        #[schema(minimum = 1, example = 1)]
        hot_path_factor: i32,
        /// The public id of the key that made it; null: a person at the console or an operator did.
        #[schema(required, example = "p4r3nt0k")]
        parent: Option<String>,
        created_at: Seconds,
        #[schema(required)]
        expires_at: Option<Seconds> = row.expires_at.map(Seconds),
        /// To the minute.
        #[schema(required)]
        last_used_at: Option<Seconds> = row.last_used_at.map(Seconds),
        #[schema(required)]
        revoked_at: Option<Seconds> = row.revoked_at.map(Seconds),
    }
}

/// A new key with its text, which no later answer repeats.
#[derive(Serialize, ToSchema)]
pub(crate) struct NewApiKey {
    #[serde(flatten)]
    pub(crate) key: ApiKey,
    /// The whole key, shown only here. The service keeps a hash of it.
    #[schema(example = "gh_k3y8ab1c_0123456789abcdefghijklmnopqrstuvwxyz01234a1b2c3d")]
    pub(crate) text: String,
}

/// A scope by its name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScopeName(pub(crate) Scope);

impl Field for ScopeName {
    fn allowed() -> Cow<'static, str> {
        let names: Vec<_> = Scope::ALL.iter().map(|scope| scope.name()).collect();
        format!("one of {}", names.join(", ")).into()
    }

    fn read(sent: &Value) -> Option<Self> {
        sent.as_str()?.parse().ok().map(Self)
    }

    fn shape() -> Shape {
        let names: Vec<_> = Scope::ALL.iter().map(|scope| scope.name()).collect();
        shape::word(&names).example("read")
    }
}

/// The public id of a key: 8 characters.
#[derive(Debug, Clone)]
pub(crate) struct PublicId(pub(crate) String);

impl Field for PublicId {
    fn allowed() -> Cow<'static, str> {
        "the public id of a key: 8 characters of a-z and 0-9".into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let text = sent.as_str()?;
        let fits = text.len() == 8 && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        fits.then(|| Self(text.to_owned()))
    }

    /// The error never repeats the text of a key, not even of a wrong one.
    fn refuse(name: &str, _: &Value) -> ApiError {
        ApiError::body("invalid_field", format!("`{name}` must be {}", Self::allowed()))
    }

    fn shape() -> Shape {
        shape::matching("^[a-z0-9]{8}$", "k3y8ab1c")
    }
}

/// A key can make others only with scopes that it has: a caller cannot gain rights by making a key.
pub(crate) fn require_all(call: &Call, scopes: Scopes) -> Result<(), ApiError> {
    scopes.iter().try_for_each(|scope| call.caller.require(scope))
}

/// Guilds give their keys at most what the operator allows.
pub(crate) fn check_factor(call: &Call, factor: i32) -> Result<(), ApiError> {
    let most = call.state.options.max_hot_path_factor;
    if factor <= most {
        return Ok(());
    }
    let message = format!(
        "the `hot_path_factor` {factor} is above {most}, the most that the operator of this service allows"
    );
    Err(ApiError::rule("factor_too_large", message))
}

/// The calling key and the named ones, locked: revoking the calling key with its descendants waits, and then finds the
/// key that this call makes. The calling key is `None` for a person at the console.
pub(crate) async fn lock(
    call: &Call,
    tx: &Transaction,
    named: &[&str],
) -> Result<(Option<Model>, Vec<Model>), ApiError> {
    let caller = call.caller.key().map(Key::public_id);
    let public_ids: Vec<_> = caller.iter().chain(named).copied().collect();
    let keys = api_key::lock(tx, call.guild(), &public_ids).await?;
    let parent = keys.iter().find(|key| Some(&*key.public_id) == caller).cloned();
    if let Some(parent) = parent.clone() {
        // The cached key may be a second old.
        Key::from(parent).check_live(call.now())?;
    }
    Ok((parent, keys))
}
