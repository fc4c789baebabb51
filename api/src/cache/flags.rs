//! Results of single checks, cached until any flag changes: most players are clean, and are checked at each join.

use std::sync::Arc;

use entities::PlayId;
use entities::shield_flag::{self, Model};
use runtime::{Freshness, Pool};
use sea_orm::DbErr;

use crate::cache::event_fed::EventFed;

/// Cached players, flagged or clean.
const CAPACITY: u64 = 100_000;

pub(crate) struct Flags(EventFed<PlayId, Option<Arc<Model>>>);

impl Flags {
    pub(crate) fn new(freshness: &Freshness) -> Self {
        Self(EventFed::new(freshness, CAPACITY))
    }

    /// The active flag of a player.
    pub(crate) async fn find(&self, conn: &Pool, play: PlayId) -> Result<Option<Arc<Model>>, DbErr> {
        let read = async { Ok(shield_flag::find(conn, play).await?.map(Arc::new)) };
        self.0.get_or_load(&play, read).await
    }

    /// Flags arrive by the thousand and seldom: drop all entries.
    pub(crate) fn forget_all(&self) {
        self.0.forget_all();
    }
}
