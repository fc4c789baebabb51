//! Hands out permits: from Redis when there is one, else from this process's own state.
//!
//! Of interactive calls, and of each guild's bulk, only one waiter of a process at a time asks for a free permit and the
//! others queue behind it in order, so waiting costs Redis a question for each permit that comes back, not one per waiter.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::rate::Rules;
use super::shared::SharedPace;
use super::state::{Ask, PaceState, Verdict};
use super::{Answered, Micros, micros};
use crate::{PlatformError, Priority};

/// While the first call of a lane is under way the others look again this often.
const PROBE_POLL: Duration = Duration::from_millis(10);

#[derive(Clone)]
pub(crate) struct Pacer(Arc<Inner>);

struct Inner {
    rules: Rules,
    started: Instant,
    /// Used when there is no Redis; the whole rate is this process's.
    local: Mutex<PaceState>,
    /// Used while Redis is down, by interactive calls only.
    alone: Mutex<PaceState>,
    shared: Option<SharedPace>,
    /// Whose turn it is to ask, for interactive calls and for each guild's bulk.
    turns: Mutex<HashMap<Option<i64>, Arc<tokio::sync::Mutex<()>>>>,
}

/// Above this many turns those that nobody waits for are dropped.
const TURNS_KEPT: usize = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Local,
    Alone,
    Shared,
}

impl Pacer {
    /// Without a rate nothing is shared: only pauses and buckets are kept, in this process.
    pub(crate) fn new(rules: Rules, shared: Option<SharedPace>) -> Self {
        Self(Arc::new(Inner {
            rules,
            started: Instant::now(),
            local: Mutex::new(PaceState::new(rules)),
            alone: Mutex::new(PaceState::new(rules.alone())),
            shared: shared.filter(|_| rules.capacity.is_some()),
            turns: Mutex::default(),
        }))
    }

    /// Waits for a permit. Interactive calls wait 5 s at most. A pause longer than the priority's patience is handed
    /// back as `RateLimited` at once.
    pub(crate) async fn acquire(&self, ask: Ask) -> Result<Permit, PlatformError> {
        match ask.priority {
            Priority::Bulk => self.wait_for_permit(ask).await,
            Priority::Interactive => timeout(ask.priority.patience(), self.wait_for_permit(ask))
                .await
                .unwrap_or(Err(PlatformError::RateLimited { retry_after: Duration::from_secs(1) })),
        }
    }

    async fn wait_for_permit(&self, ask: Ask) -> Result<Permit, PlatformError> {
        loop {
            let (verdict, source) = self.in_turn(&ask).await?;
            let pause = match verdict {
                Verdict::Granted(id) => {
                    return Ok(Permit { pacer: self.clone(), ask: Some(ask), id, source });
                }
                Verdict::Full(wait) | Verdict::Paused(wait) => Duration::from_micros(wait),
                Verdict::Probing => PROBE_POLL,
                Verdict::Silenced(wait) => return Err(silenced(Duration::from_micros(wait))),
            };
            if pause > ask.priority.patience() {
                return Err(PlatformError::RateLimited { retry_after: pause });
            }
            sleep(pause).await;
        }
    }

    /// Waits for a free permit with the turn held; pauses of one bucket are waited for without it.
    async fn in_turn(&self, ask: &Ask) -> Result<(Verdict, Source), PlatformError> {
        let turn = self.turn(ask);
        let _turn = turn.lock().await;
        loop {
            match self.ask(ask).await? {
                (Verdict::Full(wait), _) => sleep(Duration::from_micros(wait)).await,
                settled => return Ok(settled),
            }
        }
    }

    fn turn(&self, ask: &Ask) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.0.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if turns.len() > TURNS_KEPT {
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
        }
        let whose = (ask.priority == Priority::Bulk).then_some(ask.major);
        Arc::clone(turns.entry(whose).or_default())
    }

    async fn ask(&self, ask: &Ask) -> Result<(Verdict, Source), PlatformError> {
        let Some(shared) = &self.0.shared else {
            return Ok((self.state(Source::Local).acquire(self.now(), ask), Source::Local));
        };
        match shared.acquire(self.0.rules, ask).await {
            Ok(verdict) => Ok((verdict, Source::Shared)),
            Err(error) => {
                tracing::debug!(%error, route = ask.route, "pacing cannot reach redis");
                match ask.priority {
                    Priority::Bulk => Err(PlatformError::unavailable(ask.route, "the shared pacing is down")),
                    Priority::Interactive => {
                        Ok((self.state(Source::Alone).acquire(self.now(), ask), Source::Alone))
                    }
                }
            }
        }
    }

    fn state(&self, source: Source) -> MutexGuard<'_, PaceState> {
        let state = if source == Source::Alone { &self.0.alone } else { &self.0.local };
        state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Micros {
        micros(self.0.started.elapsed())
    }

    async fn finish(&self, permit: u64, source: Source, ask: &Ask, answered: &Answered) {
        match (source, &self.0.shared) {
            (Source::Shared, Some(shared)) => {
                if let Err(error) = shared.finish(self.0.rules, permit, ask, answered).await {
                    // The permit comes back by itself at its safety deadline.
                    tracing::debug!(%error, route = ask.route, "pacing cannot reach redis");
                }
            }
            _ => self.state(source).finish(self.now(), permit, ask, answered),
        }
    }
}

fn silenced(wait: Duration) -> PlatformError {
    let reason = "the platform gave too many refusals (401, 403, 429) in ten minutes, so bulk calls pause before it bans \
                  this address: check the credential and the bot's permissions";
    PlatformError::Stopped { reason: reason.to_owned(), retry_after: Some(wait) }
}

/// The right to send one request. Finish it with what the answer said; dropped (a cancelled call) it comes back alike.
pub(crate) struct Permit {
    pacer: Pacer,
    /// Taken when finished.
    ask: Option<Ask>,
    id: u64,
    source: Source,
}

impl Permit {
    pub(crate) async fn finish(mut self, answered: &Answered) {
        if let Some(ask) = self.ask.take() {
            self.pacer.finish(self.id, self.source, &ask, answered).await;
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(ask) = self.ask.take() else { return };
        let (pacer, id, source) = (self.pacer.clone(), self.id, self.source);
        if source != Source::Shared {
            pacer.state(source).finish(pacer.now(), id, &ask, &Answered::default());
        } else if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { pacer.finish(id, source, &ask, &Answered::default()).await });
        }
    }
}
