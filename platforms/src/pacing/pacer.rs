//! Grants permits: from Redis if configured, else from this process's own state.
//!
//! For interactive calls, and for each guild's bulk, only one waiter of a process at a time requests a free permit and
//! the others queue behind it in order: waiting costs Redis one request for each returned permit, not one per waiter.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use crate::context::Priority;
use crate::error::PlatformError;
use crate::pacing::budget::Budget;
use crate::pacing::end::Source;
use crate::pacing::numbers::BULK_PATIENCE;
use crate::pacing::permit::{Permit, Wanted};
use crate::pacing::rate::Rules;
use crate::pacing::shared::SharedPace;
use crate::pacing::sources::Sources;
use crate::pacing::state::{Ask, Verdict};

/// Polling interval of the others while the first call of a bucket is in flight.
const PROBE_POLL: Duration = Duration::from_millis(10);
/// Retry interval of bulk for an unresponsive Redis.
const DOWN_POLL: Duration = Duration::from_millis(200);

/// The waiter that may send requests, for interactive calls and for each guild's bulk.
type Turns = Mutex<HashMap<Option<i64>, Arc<tokio::sync::Mutex<()>>>>;

#[derive(Clone)]
pub(crate) struct Pacer {
    sources: Sources,
    turns: Arc<Turns>,
}

/// Above this many queues the empty ones are dropped.
const TURNS_KEPT: usize = 1024;

impl Pacer {
    pub(crate) fn new(rules: Rules, shared: Option<SharedPace>) -> Self {
        Self { sources: Sources::new(rules, shared), turns: Arc::default() }
    }

    pub(crate) async fn budget(&self) -> Budget {
        self.sources.budget().await
    }

    /// Waits for a permit. Interactive calls wait 5 s at most. A pause longer than the priority's limit returns
    /// `RateLimited` at once.
    pub(crate) async fn acquire(&self, ask: Ask) -> Result<Permit, PlatformError> {
        match ask.priority {
            Priority::Bulk => self.wait_for_permit(ask).await,
            Priority::Interactive | Priority::Stranger => {
                timeout(ask.priority.patience(), self.wait_for_permit(ask))
                    .await
                    .unwrap_or(Err(PlatformError::RateLimited { retry_after: Duration::from_secs(1) }))
            }
        }
    }

    async fn wait_for_permit(&self, ask: Ask) -> Result<Permit, PlatformError> {
        let mut wanted = Wanted::new(&self.sources, ask.clone());
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

    /// Waits for a free permit at the head of the queue; waits out the pauses of one bucket without holding the head.
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
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if turns.len() > TURNS_KEPT {
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
        }
        let whose = (ask.priority == Priority::Bulk).then_some(ask.major);
        Arc::clone(turns.entry(whose).or_default())
    }

    async fn ask(&self, ask: &Ask, wanted: &mut Wanted) -> Result<(Verdict, Source), PlatformError> {
        let since = Instant::now();
        loop {
            wanted.asking = true;
            let answer = self.sources.ask_shared(ask, wanted.id).await;
            wanted.asking = false;
            let error = match answer {
                None => return Ok((self.sources.ask_locally(Source::Local, ask, wanted.id), Source::Local)),
                Some(Ok(verdict)) => return Ok((verdict, Source::Shared)),
                Some(Err(error)) => error,
            };
            wanted.doubtful |= error.may_have_arrived;
            tracing::debug!(%error, route = ask.route, "pacing cannot reach redis");
            if ask.priority != Priority::Bulk {
                return Ok((self.sources.ask_locally(Source::Alone, ask, wanted.id), Source::Alone));
            }
            if since.elapsed() > BULK_PATIENCE {
                return Err(PlatformError::unavailable(ask.route, "the shared pacing is down"));
            }
            sleep(DOWN_POLL).await;
        }
    }
}

fn silenced(wait: Duration) -> PlatformError {
    let reason = "the platform sent too many refusals (401, 403, 429) in ten minutes, so such calls pause before it bans \
                  this address: check the credential and the bot's permissions";
    PlatformError::Stopped { reason: reason.to_owned(), retry_after: Some(wait) }
}
