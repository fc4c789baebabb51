//! API keys by public id, and the time of their last use. Unknown ids are cached too.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use entities::api_key::{self, Model, Scope, Scopes};
use entities::key_text::KeyText;
use entities::{ChatId, GuildId, KeyId, Timestamp};
use moka::sync::Cache;
use runtime::{Context, Freshness, Pool, Rate};
use sea_orm::DbErr;

use crate::cache::event_fed::EventFed;
use crate::rate_limit::RateLimit;
use crate::response::error::ApiError;

const CAPACITY: u64 = 10_000;

/// Interval in which a key's last use is written.
const LAST_USED_EVERY: Duration = Duration::from_secs(60);
/// Keys in one statement.
const BATCH: usize = 1_000;

/// A key as read from the database, with its parsed scopes.
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

    pub(crate) fn expires_at(&self) -> Option<Timestamp> {
        self.row.expires_at
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

    pub(crate) fn rate(&self, limit: RateLimit) -> Rate {
        let rate = limit.rate();
        let factor =
            if limit.is_hot_path() { u32::try_from(self.row.hot_path_factor).unwrap_or(1) } else { 1 };
        Rate::per(rate.limit.saturating_mul(factor), rate.window)
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

pub(crate) struct Keys {
    /// `None`: there is no such key.
    pub(crate) rows: EventFed<String, Option<Arc<Key>>>,
    /// Keys whose last use was noted within the interval.
    used: Cache<KeyId, ()>,
    unwritten: Mutex<Vec<KeyId>>,
}

impl Keys {
    pub(crate) fn new(freshness: &Freshness) -> Self {
        let used = Cache::builder().max_capacity(CAPACITY).time_to_live(LAST_USED_EVERY).build();
        Self { rows: EventFed::new(freshness, CAPACITY), used, unwritten: Mutex::default() }
    }

    pub(crate) async fn load(&self, conn: &Pool, public_id: &str) -> Result<Option<Arc<Key>>, DbErr> {
        let read = async {
            let row = api_key::find_by_public_id(conn, public_id).await?;
            Ok(row.map(|row| Arc::new(Key::new(row))))
        };
        // While the database is away a key that was valid stays so: otherwise no check could go on from memory.
        self.rows.load_or_stale(&public_id.to_owned(), read).await
    }

    /// Has the time of this use written, at most once a minute.
    pub(crate) fn note_use(&self, context: &Context, key: &Key) {
        let id = key.id();
        if self.used.contains_key(&id) || !self.used.entry(id).or_insert(()).is_fresh() {
            return;
        }
        // Unless another process has just written it.
        if key.row.last_used_at.is_none_or(|last| last + LAST_USED_EVERY <= context.clock.now()) {
            self.unwritten().push(id);
        }
    }

    /// Writes the noted uses. Those of a failed write are lost, and noted again a minute later.
    pub(crate) async fn write_uses(&self, context: &Context) -> Result<(), DbErr> {
        let used = std::mem::take(&mut *self.unwritten());
        for keys in used.chunks(BATCH) {
            api_key::touch(context.database.write(), keys, context.clock.now()).await?;
        }
        Ok(())
    }

    fn unwritten(&self) -> MutexGuard<'_, Vec<KeyId>> {
        self.unwritten.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
