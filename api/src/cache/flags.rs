//! What single checks found, kept until a flag changes anywhere: most players are clean, and are checked at each join.

use std::sync::Arc;
use std::time::Duration;

use entities::PlayId;
use entities::shield_flag::{self, Model};
use runtime::Events;
use runtime::Pool;
use sea_orm::DbErr;

use crate::cache::event_fed::EventFed;

/// Players kept, flagged or clean.
const CAPACITY: u64 = 100_000;
/// With events trusted: a bound on what a bug or a lost event can do.
const TRUSTED_LIFE: Duration = Duration::from_secs(60);

pub(crate) struct Flags(EventFed<PlayId, Option<Arc<Model>>>);

impl Flags {
    pub(crate) fn new(events: Events) -> Self {
        Self(EventFed::new(events, CAPACITY, TRUSTED_LIFE))
    }

    /// The active flag of a player.
    pub(crate) async fn find(&self, conn: &Pool, play: PlayId) -> Result<Option<Arc<Model>>, DbErr> {
        let read = async { Ok(shield_flag::find(conn, play).await?.map(Arc::new)) };
        self.0.get_or_load(&play, read).await
    }

    /// Flags come by the thousand and seldom: all is read again.
    pub(crate) fn forget_all(&self) {
        self.0.forget_all();
    }
}
