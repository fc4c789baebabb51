//! Limits on large answers, of each guild and of this process: slow readers of one guild cost other guilds
//! neither memory nor permits (docs/operations.md 4).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use entities::GuildId;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use crate::limits::pace::Pace;
use crate::response::error::ApiError;

/// Bytes from which a body is large. Smaller ones are not counted.
pub(crate) const LARGE: usize = 256 * 1024;
/// Large answers being sent.
const ANSWERS: Amount = Amount { process: 8, guild: 4 };
/// Memory of large bodies, sent or kept, in KiB.
const MEMORY: Amount = Amount { process: 160 * 1024, guild: 144 * 1024 };
/// How long a call waits for its turn to send.
const WAIT_TO_SEND: Duration = Duration::from_secs(20);
/// How long a build waits for memory or its turn; less than Postgres lets a transaction be idle.
const WAIT_TO_BUILD: Duration = Duration::from_secs(10);
/// Bytes a second of all large answers together, about those of the fastest networks. Without a limit fast readers on
/// the same machine would take all of its processors.
const PACE: u32 = 512 * 1024 * 1024;
/// The burst after a pause.
const BURST: Duration = Duration::from_millis(2);

#[derive(Clone, Copy)]
struct Amount {
    process: usize,
    guild: usize,
}

pub(crate) struct LargeAnswers {
    process: Arc<Share>,
    guilds: Mutex<HashMap<GuildId, Weak<Share>>>,
    memory: Amount,
    building: Semaphore,
    pace: Arc<Pace>,
}

struct Share {
    answers: Arc<Semaphore>,
    /// One permit is a KiB.
    memory: Arc<Semaphore>,
}

impl Share {
    fn new(answers: usize, memory: usize) -> Arc<Self> {
        Arc::new(Self {
            answers: Arc::new(Semaphore::new(answers)),
            memory: Arc::new(Semaphore::new(memory)),
        })
    }
}

impl Default for LargeAnswers {
    fn default() -> Self {
        Self::within(MEMORY)
    }
}

/// The right to send a large answer.
pub(crate) struct AnswerPermit {
    _permits: [OwnedSemaphorePermit; 2],
    /// Keeps the guild's share alive.
    _guild: Arc<Share>,
    pace: Arc<Pace>,
}

impl AnswerPermit {
    /// Waits until so many bytes may be sent.
    pub(crate) async fn wait_to_send(&self, bytes: usize) {
        self.pace.wait(Duration::from_secs(bytes as u64) / PACE).await;
    }
}

/// The memory that a large body uses.
pub(crate) struct Memory {
    shares: [Arc<Share>; 2],
    permits: Vec<OwnedSemaphorePermit>,
    kib: usize,
    /// The share of a guild.
    most_kib: usize,
}

impl LargeAnswers {
    fn within(memory: Amount) -> Self {
        let process = Share::new(ANSWERS.process, memory.process);
        let pace = Arc::new(Pace::new(BURST));
        Self { process, guilds: Mutex::default(), memory, building: Semaphore::new(1), pace }
    }

    /// A guild may hold so many KiB.
    #[cfg(test)]
    pub(crate) fn of_kib(guild: usize) -> Self {
        Self::within(Amount { process: guild, guild })
    }

    /// The right to send one, or 503 after a while.
    pub(crate) async fn permit(&self, guild: GuildId) -> Result<AnswerPermit, ApiError> {
        let share = self.of_guild(guild);
        let both =
            async { Ok([acquire(&share.answers, 1).await?, acquire(&self.process.answers, 1).await?]) };
        let permits = in_time(WAIT_TO_SEND, both).await?;
        Ok(AnswerPermit { _permits: permits, _guild: share, pace: self.pace.clone() })
    }

    /// One large body is built at a time, so that building leaves most of the machine to other requests.
    pub(crate) async fn turn_to_build(&self) -> Result<SemaphorePermit<'_>, ApiError> {
        in_time(WAIT_TO_BUILD, self.building.acquire()).await
    }

    /// For a body that is about to be built.
    pub(crate) fn memory(&self, guild: GuildId) -> Memory {
        let shares = [self.of_guild(guild), self.process.clone()];
        Memory { shares, permits: Vec::new(), kib: 0, most_kib: self.memory.guild }
    }

    fn of_guild(&self, guild: GuildId) -> Arc<Share> {
        let mut guilds = self.guilds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = guilds.get(&guild).and_then(Weak::upgrade) {
            return share;
        }
        guilds.retain(|_, share| share.strong_count() > 0);
        let share = Share::new(ANSWERS.guild, self.memory.guild);
        guilds.insert(guild, Arc::downgrade(&share));
        share
    }
}

impl Memory {
    /// For another body of the same guild.
    pub(crate) fn another(&self) -> Self {
        Self { shares: self.shares.clone(), permits: Vec::new(), kib: 0, most_kib: self.most_kib }
    }

    /// Covers a body of this many bytes. False: there is not enough memory now.
    pub(crate) fn try_cover(&mut self, bytes: usize) -> bool {
        let more = self.missing(bytes);
        let got: Option<Vec<_>> =
            self.shares.iter().map(|share| share.memory.clone().try_acquire_many_owned(more).ok()).collect();
        self.add(got.unwrap_or_default(), more)
    }

    /// The same, but waits until other bodies are freed.
    pub(crate) async fn cover(&mut self, bytes: usize) -> Result<(), ApiError> {
        let more = self.missing(bytes);
        let [guild, process] = &self.shares;
        let both =
            async { Ok(vec![acquire(&guild.memory, more).await?, acquire(&process.memory, more).await?]) };
        let got = in_time(WAIT_TO_BUILD, both).await?;
        self.add(got, more);
        Ok(())
    }

    /// Whether a guild may hold so much at all.
    pub(crate) fn may_cover(&self, bytes: usize) -> bool {
        bytes / 1024 < self.most_kib
    }

    fn missing(&self, bytes: usize) -> u32 {
        u32::try_from((bytes.div_ceil(1024)).saturating_sub(self.kib)).unwrap_or(u32::MAX)
    }

    fn add(&mut self, got: Vec<OwnedSemaphorePermit>, kib: u32) -> bool {
        let covered = !got.is_empty();
        if covered {
            self.kib += kib as usize;
        }
        for permit in got {
            match self.permits.iter_mut().find(|held| Arc::ptr_eq(held.semaphore(), permit.semaphore())) {
                Some(held) => held.merge(permit),
                None => self.permits.push(permit),
            }
        }
        covered
    }
}

async fn acquire(semaphore: &Arc<Semaphore>, permits: u32) -> Result<OwnedSemaphorePermit, AcquireError> {
    semaphore.clone().acquire_many_owned(permits).await
}

async fn in_time<T>(
    within: Duration,
    acquire: impl Future<Output = Result<T, AcquireError>>,
) -> Result<T, ApiError> {
    tokio::time::timeout(within, acquire).await.ok().and_then(Result::ok).ok_or_else(busy)
}

fn busy() -> ApiError {
    ApiError::unavailable(
        "lists_busy",
        "too many long lists are being sent; retry, or ask for pages by `limit`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn waits<T>(work: impl Future<Output = T>) -> bool {
        tokio::time::timeout(Duration::from_millis(20), work).await.is_err()
    }

    #[tokio::test]
    async fn a_guild_that_sends_slowly_uses_its_own_share() {
        let answers = LargeAnswers::default();
        let [one, other]: [GuildId; 2] = ["1".parse().unwrap(), "2".parse().unwrap()];
        let mut held = Vec::new();
        for _ in 0..ANSWERS.guild {
            held.push(answers.permit(one).await.unwrap());
        }
        assert!(waits(answers.permit(one)).await);
        drop(answers.permit(other).await.unwrap());
        held.pop();
        drop(answers.permit(one).await.unwrap());
        drop(held);
        assert_eq!(answers.process.answers.available_permits(), ANSWERS.process);
    }

    #[tokio::test]
    async fn memory_is_covered_while_there_is_room_and_freed_with_its_body() {
        let answers = LargeAnswers::default();
        let [one, other]: [GuildId; 2] = ["1".parse().unwrap(), "2".parse().unwrap()];
        let (mut first, mut second) = (answers.memory(one), answers.memory(one));
        assert!(first.try_cover(1_000) && first.try_cover(1024 * (MEMORY.guild - 1)));
        assert!(second.try_cover(1024) && !second.try_cover(1025));
        assert!(waits(second.cover(1025)).await);
        let mut of_other = answers.memory(other);
        assert!(
            of_other.try_cover(1024 * (MEMORY.process - MEMORY.guild)) && !of_other.try_cover(usize::MAX)
        );
        drop(first);
        second.cover(1024 * 1024).await.unwrap();
        drop((second, of_other));
        assert_eq!(answers.process.memory.available_permits(), MEMORY.process);
        let memory = answers.memory(one);
        assert!(!memory.may_cover(1024 * MEMORY.guild) && memory.may_cover(1024));
    }

    #[tokio::test]
    async fn large_answers_are_paced_together() {
        let (answers, began) = (LargeAnswers::default(), std::time::Instant::now());
        let guild = "1".parse().unwrap();
        let permits = [answers.permit(guild).await.unwrap(), answers.permit(guild).await.unwrap()];
        for _ in 0..32 {
            for permit in &permits {
                permit.wait_to_send(PACE as usize / 1024).await;
            }
        }
        // 64 parts of a 1024th of a second each, of which the first three may be sent at once.
        assert!(began.elapsed() >= Duration::from_secs(61) / 1024);
    }
}
