//! Requests of one guild that arrive while the guild's others are worked on are worked on together, as soon as these
//! end: one transaction and one commit for all. A guild that sends much waits for itself, and no other guild for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use entities::GuildId;
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;

use crate::response::error::ApiError;

/// The size of a batch: larger ones gain little, and those who come after wait for them.
const MOST: usize = 64;

pub(crate) struct Batches<T, R>(Arc<Mutex<Guilds<T, R>>>);

/// Guilds that are worked on, with those who wait.
type Guilds<T, R> = HashMap<GuildId, Vec<Waiting<T, R>>>;

struct Waiting<T, R> {
    request: T,
    answer: oneshot::Sender<R>,
}

impl<T, R> Default for Batches<T, R> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Send + 'static, R: Send + 'static> Batches<T, R> {
    /// `work` answers each request of a batch, in their order. It runs as a task of its own, so it goes on if this
    /// caller is gone.
    pub(crate) async fn join<W, F>(
        &self,
        tasks: &TaskTracker,
        guild: GuildId,
        request: T,
        work: W,
    ) -> Result<R, ApiError>
    where
        W: Fn(Vec<T>) -> F + Send + 'static,
        F: Future<Output = Vec<R>> + Send,
    {
        let (answer, answered) = oneshot::channel();
        if self.enter(guild, Waiting { request, answer }) {
            let mut leader = Leader { guilds: self.0.clone(), guild, leads: true };
            tasks.spawn(async move { leader.lead(work).await });
        }
        answered.await.map_err(ApiError::internal)
    }

    /// True: nobody works on the guild's requests yet.
    fn enter(&self, guild: GuildId, waiting: Waiting<T, R>) -> bool {
        let mut guilds = lock(&self.0);
        let is_first = !guilds.contains_key(&guild);
        guilds.entry(guild).or_default().push(waiting);
        is_first
    }
}

/// Ended by a panic it leaves the guild to the next request; those who wait get an error.
struct Leader<T, R> {
    guilds: Arc<Mutex<Guilds<T, R>>>,
    guild: GuildId,
    leads: bool,
}

impl<T, R> Leader<T, R> {
    async fn lead<F: Future<Output = Vec<R>>>(&mut self, work: impl Fn(Vec<T>) -> F) {
        while let Some(batch) = self.next() {
            let batch = batch.into_iter().map(|waiting| (waiting.request, waiting.answer));
            let (requests, answers): (Vec<_>, Vec<_>) = batch.unzip();
            for (answer, outcome) in answers.into_iter().zip(work(requests).await) {
                let _gone: Result<(), _> = answer.send(outcome);
            }
        }
    }

    /// `None`: nobody waits, and the guild is left.
    fn next(&mut self) -> Option<Vec<Waiting<T, R>>> {
        let mut guilds = lock(&self.guilds);
        let waiting = guilds.get_mut(&self.guild)?;
        // Nobody is there to hear the answer.
        waiting.retain(|waiting| !waiting.answer.is_closed());
        if waiting.is_empty() {
            guilds.remove(&self.guild);
            self.leads = false;
            return None;
        }
        Some(waiting.drain(..waiting.len().min(MOST)).collect())
    }
}

impl<T, R> Drop for Leader<T, R> {
    fn drop(&mut self) {
        if self.leads {
            lock(&self.guilds).remove(&self.guild);
        }
    }
}

fn lock<T, R>(guilds: &Mutex<Guilds<T, R>>) -> MutexGuard<'_, Guilds<T, R>> {
    guilds.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
