//! Gathers the requests of one guild that arrive while earlier ones are executed: they form the next batch. A guild that
//! sends much delays only itself: it has one place of several.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use entities::GuildId;
use tokio::sync::oneshot::{self, Receiver, Sender};
use tokio::sync::{Semaphore, SemaphorePermit};

/// The size of a batch: larger ones gain little, and delay later requests.
const LARGEST_BATCH: usize = 64;

pub(crate) struct Batches<T, R> {
    /// Guilds with a leader, and their waiting requests.
    guilds: Mutex<Guilds<T, R>>,
    /// A permit for each running batch.
    places: Semaphore,
}

type Guilds<T, R> = HashMap<GuildId, Vec<Waiting<T, R>>>;

struct Waiting<T, R> {
    request: T,
    answer: Sender<R>,
}

impl<T, R> Batches<T, R> {
    /// `at_once`: how many batches, of different guilds, run at the same time. The fewer, the larger they
    /// are: requests that wait for a place are batched.
    pub(crate) fn new(at_once: usize) -> Self {
        Self { guilds: Mutex::default(), places: Semaphore::new(at_once) }
    }

    /// The request waits for its answer. Who gets the leader executes the guild's batches, in a task that outlives this
    /// request; otherwise such a task runs already.
    pub(crate) fn join(self: &Arc<Self>, guild: GuildId, request: T) -> (Receiver<R>, Option<Leader<T, R>>) {
        let (answer, answered) = oneshot::channel();
        let waiting = Waiting { request, answer };
        let leader = match self.lock().entry(guild) {
            Entry::Occupied(others) => {
                others.into_mut().push(waiting);
                None
            }
            Entry::Vacant(free) => {
                free.insert(vec![waiting]);
                Some(Leader { batches: self.clone(), guild, leads: true })
            }
        };
        (answered, leader)
    }

    fn lock(&self) -> MutexGuard<'_, Guilds<T, R>> {
        self.guilds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the batches of a guild. If its task panics, waiting requests get an error, and the next request of the guild takes
/// over.
pub(crate) struct Leader<T, R> {
    batches: Arc<Batches<T, R>>,
    guild: GuildId,
    leads: bool,
}

impl<T, R> Leader<T, R> {
    pub(crate) fn guild(&self) -> GuildId {
        self.guild
    }

    /// The next batch, as soon as it has a place. `None`: no request waits, and the guild is released.
    pub(crate) async fn next(&mut self) -> Option<(Vec<T>, Answers<'_, R>)> {
        let place = self.batches.places.acquire().await.ok()?;
        let mut guilds = self.batches.lock();
        let waiting = guilds.get_mut(&self.guild)?;
        // The caller was cancelled.
        waiting.retain(|waiting| !waiting.answer.is_closed());
        if waiting.is_empty() {
            guilds.remove(&self.guild);
            self.leads = false;
            return None;
        }
        let batch = waiting.drain(..waiting.len().min(LARGEST_BATCH));
        let (requests, answers) = batch.map(|waiting| (waiting.request, waiting.answer)).unzip();
        Some((requests, Answers { answers, _place: place }))
    }
}

impl<T, R> Drop for Leader<T, R> {
    fn drop(&mut self) {
        if self.leads {
            self.batches.lock().remove(&self.guild);
        }
    }
}

/// Those who wait for a batch, and its place.
pub(crate) struct Answers<'l, R> {
    answers: Vec<Sender<R>>,
    _place: SemaphorePermit<'l>,
}

impl<R> Answers<'_, R> {
    /// In the order of the requests.
    pub(crate) fn send(self, outcomes: Vec<R>) {
        for (answer, outcome) in self.answers.into_iter().zip(outcomes) {
            let _gone: Result<(), _> = answer.send(outcome);
        }
    }
}

#[cfg(test)]
mod tests;
