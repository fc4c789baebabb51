//! The guilds whose dashboards are open in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use entities::GuildId;
use tokio::sync::Notify;

use crate::live::dashboard::feed::Feed;
use crate::live::sockets::Live;
use crate::live::sockets::reserved::Reserved;
use crate::response::error::ApiError;

/// How long a feed goes on without sockets, so that a client whose connection broke resumes.
const LINGERS: Duration = Duration::from_secs(30);

#[derive(Clone, Default)]
pub(crate) struct Feeds(Arc<Inner>);

#[derive(Default)]
struct Inner {
    guilds: Mutex<HashMap<GuildId, OfGuild>>,
    /// A guild got its first socket.
    opened: Notify,
}

struct OfGuild {
    feed: Arc<Feed>,
    sockets: usize,
    empty_since: Instant,
}

/// A socket's place among those of its guild, until it is dropped.
pub(crate) struct Entry {
    feeds: Feeds,
    guild: GuildId,
    pub(crate) feed: Arc<Feed>,
    _reserved: Reserved,
}

impl Feeds {
    fn lock(&self) -> MutexGuard<'_, HashMap<GuildId, OfGuild>> {
        self.0.guilds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails if this process holds the maximum number of sockets, or as many of the guild.
    pub(crate) fn enter(&self, live: &Live, guild: GuildId) -> Result<Entry, ApiError> {
        let mut guilds = self.lock();
        let own = guilds.get(&guild).map_or(0, |own| own.sockets);
        let reserved = live.reserve(own)?;
        let new = || OfGuild { feed: Arc::new(Feed::new()), sockets: 0, empty_since: Instant::now() };
        let own = guilds.entry(guild).or_insert_with(new);
        own.sockets += 1;
        self.0.opened.notify_one();
        Ok(Entry { feeds: self.clone(), guild, feed: own.feed.clone(), _reserved: reserved })
    }

    pub(crate) fn find(&self, guild: GuildId) -> Option<Arc<Feed>> {
        Some(self.lock().get(&guild)?.feed.clone())
    }

    /// Every feed; those without sockets for a while are removed first.
    pub(crate) fn all(&self) -> Vec<(GuildId, Arc<Feed>)> {
        let mut guilds = self.lock();
        guilds.retain(|_, own| own.sockets > 0 || own.empty_since.elapsed() < LINGERS);
        guilds.iter().map(|(guild, own)| (*guild, own.feed.clone())).collect()
    }

    /// Waits until a socket is opened.
    pub(crate) async fn opened(&self) {
        self.0.opened.notified().await;
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if let Some(own) = self.feeds.lock().get_mut(&self.guild) {
            own.sockets -= 1;
            own.empty_since = Instant::now();
        }
    }
}
