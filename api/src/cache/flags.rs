//! Shield's flags (docs/rules.md 9): the ids of all flagged users, so that the check of any other costs no
//! query, and the flags of users that were requested.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

use entities::PlayId;
use entities::shield_flag::{self, Model};
use runtime::{Database, Freshness, Shutdown};
use sea_orm::DbErr;

use crate::cache::cache_metrics::Kept;
use crate::cache::event_fed::EventFed;

/// Flags in memory; further ones are read again.
const ROWS: usize = 50_000;
/// Users read in one statement. A user flagged behind the current page is added by the event.
const PAGE: u64 = if cfg!(test) { 2 } else { 10_000 };

#[derive(Clone)]
pub(crate) struct Flags(Arc<Inner>);

struct Inner {
    database: Database,
    freshness: Freshness,
    shutdown: Shutdown,
    flagged: RwLock<Flagged>,
    /// `None`: the flag was lifted.
    rows: EventFed<PlayId, Option<Arc<Model>>>,
}

/// All flagged users, and some whose flags were lifted.
#[derive(Default)]
struct Flagged {
    users: HashSet<PlayId>,
    reading: Reading,
    /// A read that began before everything was dropped is discarded.
    generation: u64,
}

#[derive(Default, PartialEq, Eq)]
enum Reading {
    #[default]
    NotBegun,
    Running,
    Done,
}

impl Flags {
    /// A read ends when the shutdown begins.
    pub(crate) fn new(database: &Database, freshness: &Freshness, shutdown: &Shutdown) -> Self {
        Self(Arc::new(Inner {
            database: database.clone(),
            freshness: freshness.clone(),
            shutdown: shutdown.clone(),
            flagged: RwLock::default(),
            rows: EventFed::new("flags", freshness, ROWS),
        }))
    }

    /// Flags in memory, and how many there may be.
    pub(crate) fn held(&self) -> (u64, Option<u64>) {
        self.0.rows.held()
    }

    /// The flags of these users, in their order, each once.
    pub(crate) async fn find(&self, plays: &[PlayId]) -> Result<Vec<Arc<Model>>, DbErr> {
        let known: Vec<_> =
            self.candidates(plays).into_iter().map(|play| (play, self.0.rows.get(&play))).collect();
        let unknown: Vec<PlayId> =
            known.iter().filter(|(_, flag)| flag.is_none()).map(|(play, _)| *play).collect();
        let mut read = HashMap::new();
        if !unknown.is_empty() {
            read = Box::pin(self.0.rows.load_many(self.read(&unknown))).await?;
        }
        let flag_of = |(play, known): (_, Option<_>)| known.or_else(|| read.remove(&play)).flatten();
        Ok(known.into_iter().filter_map(flag_of).collect())
    }

    /// The same; while the database is away those that were known.
    pub(crate) async fn find_or_stale(&self, plays: &[PlayId]) -> Result<(Vec<Arc<Model>>, bool), DbErr> {
        let found = async { self.find(plays).await.map(|flags| (flags, false)) };
        let known = || plays.iter().filter_map(|play| self.0.rows.get_stale(play).flatten()).collect();
        self.0.freshness.unless_lost(found).await.unwrap_or_else(|| Ok((known(), true)))
    }

    async fn read(&self, plays: &[PlayId]) -> Result<HashMap<PlayId, Option<Arc<Model>>>, DbErr> {
        let flags = shield_flag::find_many(self.0.database.read(), plays).await?;
        let mut found: HashMap<_, _> = plays.iter().map(|play| (*play, None)).collect();
        found.extend(flags.into_iter().map(|flag| (flag.play_id, Some(Arc::new(flag)))));
        Ok(found)
    }

    /// The users who may be flagged.
    fn candidates(&self, plays: &[PlayId]) -> Vec<PlayId> {
        let mut seen = HashSet::new();
        let mut once = |play: &PlayId| seen.insert(*play);
        let plays = plays.iter().copied();
        if !self.0.freshness.is_fresh() {
            return plays.filter(once).collect();
        }
        let flagged = self.0.flagged.read().unwrap_or_else(PoisonError::into_inner);
        if flagged.reading == Reading::Done {
            return plays.filter(|play| flagged.users.contains(play) && once(play)).collect();
        }
        let begins = flagged.reading == Reading::NotBegun;
        drop(flagged);
        if begins {
            self.begin_read();
        }
        plays.filter(once).collect()
    }

    fn begin_read(&self) {
        let mut flagged = self.flagged();
        if flagged.reading == Reading::NotBegun {
            flagged.reading = Reading::Running;
            let fill = self.clone().fill(flagged.generation);
            let soft = self.0.shutdown.soft().clone();
            self.0.shutdown.services().spawn(soft.run_until_cancelled_owned(fill));
        }
    }

    async fn fill(self, generation: u64) {
        let mut last = None;
        loop {
            let read = shield_flag::flagged_users(self.0.database.read(), last, PAGE).await;
            let mut flagged = self.flagged();
            if flagged.generation != generation {
                return;
            }
            match read {
                Ok(users) => {
                    last = users.last().copied();
                    flagged.users.extend(&users);
                    if (users.len() as u64) < PAGE {
                        flagged.reading = Reading::Done;
                        return;
                    }
                }
                Err(error) => {
                    runtime::warn_throttled!(%error, "cannot read who is flagged: checks go to the database");
                    flagged.reading = Reading::NotBegun;
                    return;
                }
            }
        }
    }

    /// Users were flagged, or their flags lifted.
    pub(crate) fn change(&self, plays: &[PlayId]) {
        // The rows being read may not have them yet.
        self.flagged().users.extend(plays);
        for play in plays {
            self.0.rows.forget(play);
        }
    }

    fn flagged(&self) -> RwLockWriteGuard<'_, Flagged> {
        self.0.flagged.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept for Flags {
    fn report(&self) {
        self.0.rows.report();
    }

    fn forget_all(&self) {
        let mut flagged = self.flagged();
        let generation = flagged.generation + 1;
        *flagged = Flagged { generation, ..Flagged::default() };
        self.0.rows.forget_all();
    }
}

#[cfg(test)]
mod tests;
