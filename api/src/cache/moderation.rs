//! The moderation state of guilds, read in one go at a guild's first check and kept exact by events, so that
//! a check needs no query, whether or not its user was seen before.
//!
//! While a guild is being read for longer than a moment, and while the change log cannot be read, checks go to the
//! database. Guilds unused for longest are evicted.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use entities::sanction::active;
use entities::{GuildId, Person, PlaceId, PlayId, SanctionKind, Subject, Timestamp};
use runtime::{Database, Freshness, Shutdown};
use sea_orm::DbErr;
use tokio::sync::{Mutex, mpsc};

use crate::cache::cache_metrics::{CacheMetrics, Kept};
use crate::cache::guild_state::{Base, GuildState, Look, Sanctioned};
use crate::cache::sanctions::{Question, Sanction, find_in};

/// Bytes of all guilds together.
const CAPACITY: usize = 200 * 1024 * 1024;
/// Reads at the same time.
const READS: usize = 2;

/// A check waits this long for the read of its guild, which costs less than a read of its own.
const PATIENCE: Duration = Duration::from_millis(5);

/// The result of a check.
pub(crate) struct Checked {
    pub(crate) found: Option<Sanction>,
    /// The database is away, and this is what was known before.
    pub(crate) stale: bool,
}

#[derive(Clone)]
pub(crate) struct Moderation(Arc<Inner>);

struct Inner {
    database: Database,
    freshness: Freshness,
    guilds: RwLock<Guilds>,
    /// Guilds to be read, in the order of their first checks: a task for each of them would take far more memory.
    to_read: mpsc::UnboundedSender<ToRead>,
    started: Instant,
    metrics: Arc<CacheMetrics>,
}

struct ToRead {
    guild: GuildId,
    state: Arc<GuildState>,
    now: Timestamp,
}

struct Guilds {
    states: HashMap<GuildId, Arc<GuildState>>,
    /// Bytes of the filled ones.
    bytes: usize,
    metrics: Arc<CacheMetrics>,
}

impl Guilds {
    fn new(metrics: Arc<CacheMetrics>) -> Self {
        Self { states: HashMap::new(), bytes: 0, metrics }
    }

    /// Not dropped meanwhile, as happens when links change.
    fn holds(&self, guild: GuildId, state: &Arc<GuildState>) -> bool {
        self.states.get(&guild).is_some_and(|current| Arc::ptr_eq(current, state))
    }

    fn remove(&mut self, guild: GuildId) {
        self.bytes -= self.states.remove(&guild).map_or(0, |state| state.bytes());
        self.report();
    }

    fn clear(&mut self) {
        *self = Self::new(self.metrics.clone());
        self.report();
    }

    fn report(&self) {
        self.metrics.hold(self.states.len() as u64);
        self.metrics.weigh(self.bytes as u64);
    }

    /// Drops the guilds that were not used for longest until the others fit.
    fn make_room(&mut self) {
        if self.bytes <= CAPACITY {
            return;
        }
        let filled = self.states.iter().filter(|(_, state)| state.bytes() > 0);
        let mut by_use: Vec<_> = filled.map(|(guild, state)| (state.used_at(), *guild)).collect();
        by_use.sort_unstable();
        for (_, guild) in by_use {
            // A tenth more, so that the next guilds find room.
            if self.bytes <= CAPACITY / 10 * 9 {
                return;
            }
            self.remove(guild);
        }
    }
}

impl Moderation {
    fn guilds(&self) -> RwLockReadGuard<'_, Guilds> {
        self.0.guilds.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Guilds with their bytes, and how many of these there may be.
    pub(crate) fn held(&self) -> ((u64, u64), u64) {
        let guilds = self.guilds();
        ((guilds.states.len() as u64, guilds.bytes as u64), CAPACITY as u64)
    }

    /// Reads of guilds end when the shutdown begins.
    pub(crate) fn new(database: &Database, freshness: &Freshness, shutdown: &Shutdown) -> Self {
        let (to_read, waiting) = mpsc::unbounded_channel();
        let metrics = Arc::new(CacheMetrics::weighed("moderation"));
        let moderation = Self(Arc::new(Inner {
            database: database.clone(),
            freshness: freshness.clone(),
            guilds: RwLock::new(Guilds::new(metrics.clone())),
            to_read,
            started: Instant::now(),
            metrics,
        }));
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..READS {
            let reading = moderation.clone().read_guilds(waiting.clone());
            shutdown.services().spawn(shutdown.soft().clone().run_until_cancelled_owned(reading));
        }
        moderation
    }

    /// The sanction that applies; of several the one that ends last. While the database is away the answer
    /// comes from memory, and is marked as stale.
    pub(crate) async fn find(&self, guild: GuildId, ask: Question) -> Result<Checked, DbErr> {
        // Boxed, because hardly any check waits.
        if self.0.freshness.is_fresh() {
            let state = self.state(guild, ask.now);
            let look = state.look(ask);
            self.0.metrics.looked_up(matches!(look, Look::Found(_)));
            let found = match look {
                Look::Found(found) => found,
                look => Box::pin(self.read_missing(guild, ask, &state, look)).await?,
            };
            return Ok(Checked { found, stale: false });
        }
        Box::pin(self.find_stale(guild, ask)).await
    }

    /// The ban and the mute of each player who has one, and whether these are from memory because the database is away.
    pub(crate) async fn find_all(
        &self,
        guild: GuildId,
        plays: &[PlayId],
        place: Option<PlaceId>,
        now: Timestamp,
    ) -> Result<(Vec<Sanctioned>, bool), DbErr> {
        if self.0.freshness.is_fresh()
            && let Some(all) = self.state(guild, now).look_at_all(plays, place, now)
        {
            self.0.metrics.looked_up(true);
            return Ok((all, false));
        }
        Box::pin(self.find_each(guild, plays, place, now)).await
    }

    async fn find_each(
        &self,
        guild: GuildId,
        plays: &[PlayId],
        place: Option<PlaceId>,
        now: Timestamp,
    ) -> Result<(Vec<Sanctioned>, bool), DbErr> {
        let (mut all, mut stale) = (Vec::new(), false);
        for play in plays {
            let ask = |kind| Question { kind, subject: Subject::Play(*play), place, now };
            let ban = self.find(guild, ask(SanctionKind::Ban)).await?;
            let mute = self.find(guild, ask(SanctionKind::Mute)).await?;
            stale |= ban.stale || mute.stale;
            if ban.found.is_some() || mute.found.is_some() {
                all.push(Sanctioned { play: *play, ban: ban.found, mute: mute.found });
            }
        }
        Ok((all, stale))
    }

    async fn find_stale(&self, guild: GuildId, ask: Question) -> Result<Checked, DbErr> {
        let read = async { Ok(Checked { found: self.read_person(guild, ask).await?, stale: false }) };
        let known = self.guilds().states.get(&guild).cloned();
        let Some(Look::Found(found)) = known.map(|state| state.look(ask)) else { return read.await };
        let from_memory = || {
            self.0.metrics.looked_up(true);
            Ok(Checked { found, stale: true })
        };
        self.0.freshness.unless_lost(read).await.unwrap_or_else(from_memory)
    }

    async fn read_missing(
        &self,
        guild: GuildId,
        ask: Question,
        state: &GuildState,
        mut look: Look,
    ) -> Result<Option<Sanction>, DbErr> {
        if matches!(look, Look::NotFilled) && tokio::time::timeout(PATIENCE, state.filled()).await.is_ok() {
            look = state.look(ask);
        }
        match look {
            Look::Found(found) => Ok(found),
            Look::NotFilled => self.read_person(guild, ask).await,
            Look::Missing(missing) => {
                for missing in missing {
                    let person = missing.account.into();
                    let conn = self.0.database.read();
                    state.put(missing, active::of_person(conn, guild, person, ask.now).await?);
                }
                match state.look(ask) {
                    Look::Found(found) => Ok(found),
                    // It changed again meanwhile.
                    _ => self.read_person(guild, ask).await,
                }
            }
        }
    }

    async fn read_person(&self, guild: GuildId, ask: Question) -> Result<Option<Sanction>, DbErr> {
        let rows = active::of_subject(self.0.database.read(), guild, ask.subject, ask.now).await?;
        Ok(find_in(rows, ask))
    }

    /// The state of the guild; the first call starts to read it.
    fn state(&self, guild: GuildId, now: Timestamp) -> Arc<GuildState> {
        let used_at = self.0.started.elapsed().as_secs();
        let known = self.guilds().states.get(&guild).cloned();
        let state = known.unwrap_or_else(|| {
            let mut guilds = self.0.guilds.write().unwrap_or_else(PoisonError::into_inner);
            let state = guilds.states.entry(guild).or_insert_with(|| {
                let state = Arc::new(GuildState::default());
                // Refused only after the shutdown began.
                let _ = self.0.to_read.send(ToRead { guild, state: state.clone(), now });
                state
            });
            state.clone()
        });
        state.use_at(used_at);
        state
    }

    fn fill(&self, ToRead { guild, state, .. }: ToRead, base: Base) {
        let mut guilds = self.0.guilds.write().unwrap_or_else(PoisonError::into_inner);
        if guilds.holds(guild, &state) {
            state.fill(base);
            guilds.bytes += state.bytes();
            guilds.make_room();
            guilds.report();
        }
    }

    #[cfg(test)]
    pub(crate) fn is_filled(&self, guild: GuildId) -> bool {
        self.guilds().states.get(&guild).is_some_and(|state| state.bytes() > 0)
    }

    /// A ban or mute of one of the person's accounts was imposed or ended.
    pub(crate) fn invalidate(&self, guild: GuildId, person: Person) {
        let mut guilds = self.0.guilds.write().unwrap_or_else(PoisonError::into_inner);
        let Some(state) = guilds.states.get(&guild).cloned() else { return };
        let before = state.bytes();
        person.accounts().for_each(|account| state.invalidate(account));
        guilds.bytes += state.bytes() - before;
        if state.needs_reload() {
            guilds.remove(guild);
        }
        guilds.make_room();
    }

    /// The guild's links changed.
    pub(crate) fn forget(&self, guild: GuildId) {
        self.0.guilds.write().unwrap_or_else(PoisonError::into_inner).remove(guild);
    }
}

impl Kept for Moderation {
    fn report(&self) {
        self.guilds().report();
    }

    fn forget_all(&self) {
        self.0.guilds.write().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

mod reads;
#[cfg(test)]
mod tests;
