//! What pages need of the API process beside its API.

use entities::{ChatId, GuildId};
use futures_util::future::BoxFuture;
use people::Api;
use tokio::sync::OwnedSemaphorePermit;

use crate::figures::ProcessFigures;

/// The limit of pages is used up for this many seconds.
#[derive(Debug, Clone, Copy)]
pub struct Over {
    pub retry_after: u64,
}

/// Until it is dropped.
pub type Turn = Option<OwnedSemaphorePermit>;

/// The API process that serves the pages.
pub trait Host: Api {
    /// Counts a page of this person.
    fn count_page(&self, person: ChatId) -> BoxFuture<'static, Result<(), Over>>;

    /// The guild's turn to read for a page or a part of a file.
    fn turn(&self, guild: GuildId) -> BoxFuture<'static, Turn>;

    /// Usage and limits of this process.
    fn figures(&self) -> ProcessFigures;
}
