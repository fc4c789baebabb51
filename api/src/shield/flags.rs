//! What single checks found, kept until a flag changes anywhere: most players are clean, and are checked at each join.

use std::sync::Arc;
use std::time::Duration;

use entities::PlayId;
use entities::shield_flag::{self, Model};
use runtime::Pool;
use runtime::{Event, Events};
use sea_orm::DbErr;
use tokio::sync::broadcast::error::RecvError;

use crate::app::App;
use crate::remembered::Remembered;

/// Players kept, flagged or clean.
const CAPACITY: u64 = 100_000;
/// With events trusted: a bound on what a bug or a lost event can do.
const TRUSTED_LIFE: Duration = Duration::from_secs(60);

pub(crate) struct Flags(Remembered<PlayId, Option<Arc<Model>>>);

impl Flags {
    pub(crate) fn new(events: Events) -> Self {
        Self(Remembered::new(events, CAPACITY, TRUSTED_LIFE))
    }

    /// The active flag of a player.
    pub(super) async fn of(&self, conn: &Pool, play: PlayId) -> Result<Option<Arc<Model>>, DbErr> {
        match self.0.get(&play).await {
            Some(known) => Ok(known),
            None => {
                self.0.load(&play, async { Ok(shield_flag::find(conn, play).await?.map(Arc::new)) }).await
            }
        }
    }

    /// Flags come by the thousand and seldom: all is read again.
    pub(super) fn changed(&self) {
        self.0.forget_all();
    }
}

/// Drops what is known when a flag changes, for as long as the process runs.
pub(crate) fn listen(app: Arc<App>) -> impl Future<Output = ()> + Send {
    let mut events = app.context.events.subscribe();
    async move {
        loop {
            match events.recv().await {
                Ok(Event::ShieldChanged | Event::Resync) | Err(RecvError::Lagged(_)) => app.shield.changed(),
                Ok(_) => {}
                Err(RecvError::Closed) => return,
            }
        }
    }
}
