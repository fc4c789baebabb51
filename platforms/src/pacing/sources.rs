//! The grantors of permits: Redis, if configured; else this process's own state, with the whole rate or a share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;
use tracing::Instrument;

use crate::pacing::budget::{Budget, CountedBy};
use crate::pacing::end::{End, SharedDown, Source, until_confirmed};
use crate::pacing::numbers::{Micros, micros};
use crate::pacing::rate::Rules;
use crate::pacing::shared::SharedPace;
use crate::pacing::state::{Ask, PaceState, Verdict};

/// The assumed number of processes that share the rate, until Redis has answered once.
const ASSUMED_PROCESSES: u32 = 4;

#[derive(Clone)]
pub(crate) struct Sources(Arc<Inner>);

struct Inner {
    rules: Rules,
    started: Instant,
    /// Used without Redis; this process has the whole rate.
    local: Mutex<PaceState>,
    /// Used while Redis is down, by interactive calls only.
    alone: Mutex<PaceState>,
    shared: Option<SharedPace>,
}

impl Sources {
    /// Without a rate nothing is shared: only pauses and buckets are tracked, in this process.
    pub(crate) fn new(rules: Rules, shared: Option<SharedPace>) -> Self {
        Self(Arc::new(Inner {
            rules,
            started: Instant::now(),
            local: Mutex::new(PaceState::new(rules)),
            alone: Mutex::new(PaceState::new(rules.share(ASSUMED_PROCESSES))),
            shared: shared.filter(|_| rules.capacity.is_some()),
        }))
    }

    /// Sends the request to Redis; `None` without Redis.
    pub(crate) async fn ask_shared(&self, ask: &Ask, permit: u64) -> Option<Result<Verdict, SharedDown>> {
        let shared = self.0.shared.as_ref()?;
        Some(shared.acquire(self.0.rules, permit, ask).await)
    }

    pub(crate) fn ask_locally(&self, source: Source, ask: &Ask, permit: u64) -> Verdict {
        let mut state = self.state(source);
        if let (Source::Alone, Some(shared)) = (source, &self.0.shared) {
            state.set_rules(self.0.rules.share(shared.processes().unwrap_or(ASSUMED_PROCESSES)));
        }
        state.acquire(self.now(), permit, ask)
    }

    /// The current budget, from the source in use.
    pub(crate) async fn budget(&self) -> Budget {
        let own = || self.state(Source::Local).budget(self.now());
        let Some(shared) = &self.0.shared else { return own() };
        let budget = shared.budget(self.0.rules).await;
        budget.unwrap_or_else(|_| Budget { counted_by: CountedBy::Nobody, ..own() })
    }

    fn state(&self, source: Source) -> MutexGuard<'_, PaceState> {
        let state = if source == Source::Alone { &self.0.alone } else { &self.0.local };
        state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Micros {
        micros(self.0.started.elapsed())
    }

    pub(crate) fn end_locally(&self, source: Source, end: &End) {
        match &end.answered {
            Some(answered) => self.state(source).finish(self.now(), end.id, &end.ask, answered),
            None => self.state(source).release(self.now(), end.id, &end.ask),
        }
    }

    pub(crate) async fn end_shared(&self, end: &End) -> Result<(), SharedDown> {
        match &self.0.shared {
            Some(shared) => shared.end(self.0.rules, end).await,
            None => Ok(()),
        }
    }

    /// Runs in the background, until Redis has confirmed it.
    pub(crate) fn end_later(&self, end: End) {
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let sources = self.clone();
            let told = async move { until_confirmed(|| sources.end_shared(&end)).await };
            runtime.spawn(told.in_current_span());
        }
    }
}
