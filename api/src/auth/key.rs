//! An API key as read from the database, with its parsed scopes.

use entities::api_key::{Model, Scope, Scopes};
use entities::key_text::KeyText;
use entities::{ChatId, GuildId, KeyId, Timestamp};

use runtime::Rate;

use crate::rate_limit::RateLimit;
use crate::response::error::ApiError;

#[derive(Debug)]
pub(crate) struct Key {
    row: Model,
    scopes: Scopes,
}

impl Key {
    pub(crate) fn new(row: Model) -> Self {
        Self { scopes: row.scopes(), row }
    }

    pub(crate) fn id(&self) -> KeyId {
        self.row.key_id
    }

    /// The public part of its text.
    pub(crate) fn public_id(&self) -> &str {
        &self.row.public_id
    }

    pub(crate) fn guild(&self) -> GuildId {
        self.row.guild_id
    }

    /// The chat user who owns the key.
    pub(crate) fn owner(&self) -> ChatId {
        self.row.owner_id
    }

    pub(crate) fn require(&self, scope: Scope) -> Result<(), ApiError> {
        if self.scopes.contains(scope) {
            return Ok(());
        }
        Err(ApiError::forbidden("scope_missing", format!("this key lacks the scope `{scope}`")))
    }

    /// The rate limit for this key.
    pub(crate) fn rate(&self, limit: RateLimit) -> Rate {
        let rate = limit.rate();
        let factor =
            if limit.is_hot_path() { u32::try_from(self.row.hot_path_factor).unwrap_or(1) } else { 1 };
        Rate::per(rate.limit.saturating_mul(factor), rate.window)
    }

    pub(crate) fn last_used_at(&self) -> Option<Timestamp> {
        self.row.last_used_at
    }

    /// Whether the text's secret matches this key; compared in constant time.
    pub(crate) fn opens(&self, text: &KeyText) -> bool {
        text.matches(&self.row.secret_hash)
    }

    pub(crate) fn check_live(&self, now: Timestamp) -> Result<(), ApiError> {
        if self.row.revoked_at.is_some() {
            return Err(ApiError::key("key_revoked", "this key was revoked"));
        }
        if !self.row.is_live(now) {
            return Err(ApiError::key("key_expired", "this key has expired"));
        }
        Ok(())
    }
}
