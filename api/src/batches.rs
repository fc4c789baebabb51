//! Requests of one guild that arrive while earlier ones run form a batch, which starts as soon as these end:
//! one transaction and one commit for all. A guild that sends much delays only itself: it has one place of
//! several.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use entities::GuildId;
use tokio::sync::{Semaphore, oneshot};
use tokio_util::task::TaskTracker;

use crate::response::error::ApiError;

/// The size of a batch: larger ones gain little, and delay later requests.
const MOST: usize = 64;

pub(crate) struct Batches {
    guilds: Arc<Guilds>,
    /// A permit for each running batch.
    places: Arc<Semaphore>,
}

/// Guilds with running batches, and their waiting requests: a [`Queue`] each.
type Guilds = Mutex<HashMap<Key, Box<dyn Any + Send>>>;

/// The type of a queue, and the guild.
type Key = (TypeId, GuildId);

type Queue<T, R> = Vec<Waiting<T, R>>;

struct Waiting<T, R> {
    request: T,
    answer: oneshot::Sender<R>,
}

impl Batches {
    /// `at_once`: how many batches, of different guilds, run at the same time. The fewer, the larger they
    /// are: requests that wait for a place are batched.
    pub(crate) fn new(at_once: usize) -> Self {
        Self { guilds: Arc::default(), places: Arc::new(Semaphore::new(at_once)) }
    }

    /// `work` answers each request of a batch, in their order. It runs as a task of its own, so it goes on if
    /// this caller is cancelled.
    pub(crate) async fn join<T, R, W, F>(
        &self,
        tasks: &TaskTracker,
        guild: GuildId,
        request: T,
        work: W,
    ) -> Result<R, ApiError>
    where
        T: Send + 'static,
        R: Send + 'static,
        W: Fn(Vec<T>) -> F + Send + 'static,
        F: Future<Output = Vec<R>> + Send,
    {
        let (answer, answered) = oneshot::channel();
        let key = (TypeId::of::<Queue<T, R>>(), guild);
        if self.enter(key, Waiting { request, answer }) {
            let (guilds, places) = (self.guilds.clone(), self.places.clone());
            let mut leader = Leader { guilds, places, key, leads: true };
            tasks.spawn(async move { leader.lead(work).await });
        }
        answered.await.map_err(ApiError::internal)
    }

    /// True: no task runs the guild's requests yet.
    fn enter<T: Send + 'static, R: Send + 'static>(&self, key: Key, waiting: Waiting<T, R>) -> bool {
        let mut guilds = lock(&self.guilds);
        if let Some(others) = guilds.get_mut(&key).and_then(|queue| queue.downcast_mut::<Queue<T, R>>()) {
            others.push(waiting);
            return false;
        }
        guilds.insert(key, Box::new(vec![waiting]));
        true
    }
}

/// If it panics, the next request of the guild takes over; waiting requests get an error.
struct Leader {
    guilds: Arc<Guilds>,
    places: Arc<Semaphore>,
    key: Key,
    leads: bool,
}

impl Leader {
    async fn lead<T: 'static, R: 'static, F>(&mut self, work: impl Fn(Vec<T>) -> F)
    where
        F: Future<Output = Vec<R>>,
    {
        let places = self.places.clone();
        while let Ok(_place) = places.acquire().await
            && let Some(batch) = self.next::<T, R>()
        {
            let batch = batch.into_iter().map(|waiting| (waiting.request, waiting.answer));
            let (requests, answers): (Vec<_>, Vec<_>) = batch.unzip();
            for (answer, outcome) in answers.into_iter().zip(work(requests).await) {
                let _gone: Result<(), _> = answer.send(outcome);
            }
        }
    }

    /// `None`: no request waits, and the guild is released.
    fn next<T: 'static, R: 'static>(&mut self) -> Option<Queue<T, R>> {
        let mut guilds = lock(&self.guilds);
        let waiting = guilds.get_mut(&self.key)?.downcast_mut::<Queue<T, R>>()?;
        // The caller was cancelled.
        waiting.retain(|waiting| !waiting.answer.is_closed());
        if waiting.is_empty() {
            guilds.remove(&self.key);
            self.leads = false;
            return None;
        }
        Some(waiting.drain(..waiting.len().min(MOST)).collect())
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        if self.leads {
            lock(&self.guilds).remove(&self.key);
        }
    }
}

fn lock(guilds: &Guilds) -> MutexGuard<'_, HashMap<Key, Box<dyn Any + Send>>> {
    guilds.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
