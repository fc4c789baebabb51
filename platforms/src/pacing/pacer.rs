//! Hands out permits: from Redis when there is one, else from this process's own state.
//!
//! Of interactive calls, and of each guild's bulk, only one waiter of a process at a time asks for a free permit and the
//! others queue behind it in order, so waiting costs Redis a question for each permit that comes back, not one per waiter.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::permit::{End, Permit, Wanted, until_confirmed};
use super::rate::Rules;
use super::shared::{SharedDown, SharedPace};
use super::state::{Ask, PaceState, Verdict};
use super::{BULK_PATIENCE, Micros, micros};
use crate::{PlatformError, Priority};

/// While the first call of a bucket is under way the others look again this often.
const PROBE_POLL: Duration = Duration::from_millis(10);
/// A Redis that does not answer is asked again this often, for bulk.
const DOWN_POLL: Duration = Duration::from_millis(200);

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

/// Who granted a permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
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
        let mut wanted = Wanted::new(self, ask.clone());
        loop {
            let (verdict, source) = self.in_turn(&ask, &mut wanted).await?;
            let pause = match verdict {
                Verdict::Granted => {
                    return wanted.granted(source).ok_or(PlatformError::unavailable(ask.route, "no permit"));
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
    async fn in_turn(&self, ask: &Ask, wanted: &mut Wanted) -> Result<(Verdict, Source), PlatformError> {
        let turn = self.turn(ask);
        let _turn = turn.lock().await;
        loop {
            match self.ask(ask, wanted).await? {
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

    async fn ask(&self, ask: &Ask, wanted: &mut Wanted) -> Result<(Verdict, Source), PlatformError> {
        let Some(shared) = &self.0.shared else {
            return Ok((self.ask_locally(Source::Local, ask, wanted), Source::Local));
        };
        let since = Instant::now();
        loop {
            wanted.asking = true;
            let answer = shared.acquire(self.0.rules, wanted.id, ask).await;
            wanted.asking = false;
            let error = match answer {
                Ok(verdict) => return Ok((verdict, Source::Shared)),
                Err(error) => error,
            };
            wanted.doubtful |= error.may_have_arrived;
            tracing::debug!(%error, route = ask.route, "pacing cannot reach redis");
            if ask.priority == Priority::Interactive {
                return Ok((self.ask_locally(Source::Alone, ask, wanted), Source::Alone));
            }
            if since.elapsed() > BULK_PATIENCE {
                return Err(PlatformError::unavailable(ask.route, "the shared pacing is down"));
            }
            sleep(DOWN_POLL).await;
        }
    }

    fn ask_locally(&self, source: Source, ask: &Ask, wanted: &Wanted) -> Verdict {
        self.state(source).acquire(self.now(), wanted.id, ask)
    }

    fn state(&self, source: Source) -> MutexGuard<'_, PaceState> {
        let state = if source == Source::Alone { &self.0.alone } else { &self.0.local };
        state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Micros {
        micros(self.0.started.elapsed())
    }

    pub(super) fn end_locally(&self, source: Source, end: &End) {
        match &end.answered {
            Some(answered) => self.state(source).finish(self.now(), end.id, &end.ask, answered),
            None => self.state(source).release(self.now(), end.id, &end.ask),
        }
    }

    pub(super) async fn end_shared(&self, end: &End) -> Result<(), SharedDown> {
        match &self.0.shared {
            Some(shared) => shared.end(self.0.rules, end).await,
            None => Ok(()),
        }
    }

    /// In the background, until Redis has confirmed it.
    pub(super) fn end_later(&self, end: End) {
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let pacer = self.clone();
            runtime.spawn(async move { until_confirmed(|| pacer.end_shared(&end)).await });
        }
    }
}

fn silenced(wait: Duration) -> PlatformError {
    let reason = "the platform gave too many refusals (401, 403, 429) in ten minutes, so bulk calls pause before it bans \
                  this address: check the credential and the bot's permissions";
    PlatformError::Stopped { reason: reason.to_owned(), retry_after: Some(wait) }
}
