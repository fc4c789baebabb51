//! An API key as it was found in the database, with its scopes read.

use entities::api_key::{Model, Scope, Scopes};
use entities::key_text::KeyText;
use entities::{ChatId, GuildId, KeyId, Timestamp};

use runtime::Quota;

use crate::bucket::Bucket;
use crate::http::error::ApiError;

#[derive(Debug)]
pub(crate) struct Key {
    row: Model,
    scopes: Scopes,
}

impl Key {
    pub(super) fn new(row: Model) -> Self {
        Self { scopes: row.scopes(), row }
    }

    pub(crate) fn id(&self) -> KeyId {
        self.row.key_id
    }

    /// The part of its text that may be seen.
    pub(crate) fn public_id(&self) -> &str {
        &self.row.public_id
    }

    pub(crate) fn guild(&self) -> GuildId {
        self.row.guild_id
    }

    /// The chat user who asked for the key.
    pub(crate) fn owner(&self) -> ChatId {
        self.row.owner_id
    }

    pub(crate) fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(scope)
    }

    /// The limit of a bucket for this key.
    pub(super) fn quota(&self, bucket: Bucket) -> Quota {
        let quota = bucket.quota();
        let factor =
            if bucket.is_hot_path() { u32::try_from(self.row.hot_path_factor).unwrap_or(1) } else { 1 };
        Quota::per(quota.limit.saturating_mul(factor), quota.window)
    }

    pub(super) fn last_used_at(&self) -> Option<Timestamp> {
        self.row.last_used_at
    }

    /// Whether the text's secret is this key's; compared in constant time.
    pub(super) fn opens(&self, text: &KeyText) -> bool {
        text.matches(&self.row.secret_hash)
    }

    pub(super) fn check_live(&self, now: Timestamp) -> Result<(), ApiError> {
        if self.row.revoked_at.is_some() {
            return Err(ApiError::key("key_revoked", "this key was revoked"));
        }
        if !self.row.is_live(now) {
            return Err(ApiError::key("key_expired", "this key has expired"));
        }
        Ok(())
    }
}
