//! API keys by public id. Unknown ids are cached too.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use entities::api_key::{self, Model, Scope, Scopes};
use entities::key_text::KeyText;
use entities::{ChatId, GuildId, KeyId, Timestamp};
use runtime::{Freshness, Pool, Rate};
use sea_orm::DbErr;

use crate::cache::event_fed::EventFed;
use crate::limits::rate_limit::RateLimit;
use crate::response::error::ApiError;

/// About 100 MB.
const CAPACITY: usize = 350_000;

/// Keys share places, so that no state is kept for each: one that has the place of another is looked up in vain.
const PLACES: usize = 1 << 14;

/// Interval in which a key's last use is noted, in seconds.
const NOTED_EVERY: i64 = 60;

/// What requests need of a key's row.
#[derive(Debug)]
pub(crate) struct Key {
    id: KeyId,
    public_id: Box<str>,
    guild: GuildId,
    owner: ChatId,
    scopes: Scopes,
    secret_hash: [u8; 32],
    hot_path_factor: u32,
    is_revoked: bool,
    is_trusted: bool,
    expires_at: Option<Timestamp>,
    /// Second of the last use that was noted, by any process when it was read.
    noted_at: AtomicI64,
}

impl From<Model> for Key {
    fn from(row: Model) -> Self {
        Self {
            id: row.key_id,
            scopes: row.scopes(),
            guild: row.guild_id,
            owner: row.owner_id,
            hot_path_factor: u32::try_from(row.hot_path_factor).unwrap_or(1),
            is_revoked: row.revoked_at.is_some(),
            is_trusted: row.trusted,
            expires_at: row.expires_at,
            noted_at: AtomicI64::new(row.last_used_at.map_or(0, |at| at.timestamp())),
            public_id: row.public_id.into(),
            // No text has a hash of another length.
            secret_hash: row.secret_hash.try_into().unwrap_or_default(),
        }
    }
}

impl Key {
    pub(crate) fn id(&self) -> KeyId {
        self.id
    }

    /// The public part of its text.
    pub(crate) fn public_id(&self) -> &str {
        &self.public_id
    }

    pub(crate) fn guild(&self) -> GuildId {
        self.guild
    }

    /// Whether codes that it confirms prove for the whole instance.
    pub(crate) fn is_trusted(&self) -> bool {
        self.is_trusted
    }

    pub(crate) fn expires_at(&self) -> Option<Timestamp> {
        self.expires_at
    }

    /// The chat user who owns the key.
    pub(crate) fn owner(&self) -> ChatId {
        self.owner
    }

    pub(crate) fn require(&self, scope: Scope) -> Result<(), ApiError> {
        if self.scopes.contains(scope) {
            return Ok(());
        }
        Err(ApiError::forbidden("scope_missing", format!("this key lacks the scope `{scope}`")))
    }

    pub(crate) fn rate(&self, limit: RateLimit) -> Rate {
        let rate = limit.rate();
        let factor = if limit.is_hot_path() { self.hot_path_factor } else { 1 };
        Rate::per(rate.limit.saturating_mul(factor), rate.window)
    }

    /// Whether the text's secret matches this key; compared in constant time.
    pub(crate) fn opens(&self, text: &KeyText) -> bool {
        text.matches(&self.secret_hash)
    }

    pub(crate) fn check_live(&self, now: Timestamp) -> Result<(), ApiError> {
        if self.is_revoked {
            return Err(ApiError::key("key_revoked", "this key was revoked"));
        }
        if self.expires_at.is_some_and(|end| end <= now) {
            return Err(ApiError::key("key_expired", "this key has expired"));
        }
        Ok(())
    }

    /// Whether this use is to be noted: once a minute.
    pub(crate) fn claim_note(&self, now: Timestamp) -> bool {
        let (now, noted_at) = (now.timestamp(), self.noted_at.load(Ordering::Relaxed));
        let swap = || self.noted_at.compare_exchange(noted_at, now, Ordering::Relaxed, Ordering::Relaxed);
        now - noted_at >= NOTED_EVERY && swap().is_ok()
    }
}

pub(crate) struct Keys {
    /// `None`: there is no such key.
    pub(crate) rows: EventFed<Box<str>, Option<Arc<Key>>>,
    /// By key, the bits of the limits under which game servers have named themselves.
    shared: Box<[AtomicU64]>,
}

impl Keys {
    pub(crate) fn new(freshness: &Freshness) -> Self {
        let shared = std::iter::repeat_with(AtomicU64::default).take(PLACES).collect();
        Self { rows: EventFed::new("keys", freshness, CAPACITY), shared }
    }

    /// Whether a call is counted as one of several that share the limit: it names its server, or others of the key did. Most
    /// calls do not, and nothing more is looked up for them.
    pub(crate) fn shares(&self, key: KeyId, limit: RateLimit, named: bool) -> bool {
        let place = &self.shared[usize::try_from(key.get()).unwrap_or_default() % PLACES];
        let known = place.load(Ordering::Relaxed) & limit.bit() != 0;
        if named && !known {
            place.fetch_or(limit.bit(), Ordering::Relaxed);
        }
        named || known
    }

    pub(crate) async fn load(&self, conn: &Pool, public_id: &str) -> Result<Option<Arc<Key>>, DbErr> {
        self.rows.load(&public_id.into(), read(conn, public_id)).await
    }

    /// Like [`load`](Self::load), but while the database is away a key that was valid stays valid: otherwise
    /// no check could be answered from memory.
    pub(crate) async fn load_or_stale(
        &self,
        conn: &Pool,
        public_id: &str,
    ) -> Result<Option<Arc<Key>>, DbErr> {
        self.rows.load_or_stale(&public_id.into(), read(conn, public_id)).await
    }
}

async fn read(conn: &Pool, public_id: &str) -> Result<Option<Arc<Key>>, DbErr> {
    let row = api_key::find_by_public_id(conn, public_id).await?;
    Ok(row.map(|row| Arc::new(Key::from(row))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_is_noted_once_a_minute() {
        let at = |second| Timestamp::from_timestamp(second, 0).unwrap();
        let key = Key {
            id: 1.try_into().unwrap(),
            public_id: "abcdefgh".into(),
            guild: "5".parse().unwrap(),
            owner: "9".parse().unwrap(),
            scopes: Scopes::default_set(),
            secret_hash: [0; 32],
            hot_path_factor: 1,
            is_revoked: false,
            is_trusted: false,
            expires_at: None,
            noted_at: AtomicI64::new(1_000),
        };
        let noted = [1_010, 1_060, 1_060, 1_119, 1_120].map(|second| key.claim_note(at(second)));
        assert_eq!(noted, [false, true, false, false, true]);
    }
}
