//! One permit from the first request to its end. No permit leaks: a request that was cut or not answered is released,
//! and ends are repeated until Redis has confirmed them.

use crate::pacing::answered::Answered;
use crate::pacing::end::{End, Source};
use crate::pacing::sources::Sources;
use crate::pacing::state::Ask;

/// A requested permit. Dropped before its grant it is released, if it may have been granted.
pub(super) struct Wanted {
    sources: Sources,
    /// Taken with the grant.
    ask: Option<Ask>,
    pub(super) id: u64,
    /// A request to Redis is in flight.
    pub(super) asking: bool,
    /// A request had no response: Redis may process it at any time from now on.
    pub(super) doubtful: bool,
}

impl Wanted {
    pub(super) fn new(sources: &Sources, ask: Ask) -> Self {
        Self { sources: sources.clone(), ask: Some(ask), id: rand::random(), asking: false, doubtful: false }
    }

    pub(super) fn granted(mut self, source: Source) -> Option<Permit> {
        let ask = self.ask.take()?;
        // Granted elsewhere: the request to Redis is released.
        let doubtful = self.doubtful && source == Source::Shared;
        if self.doubtful && !doubtful {
            self.sources.end_later(End::release(self.id, ask.clone()));
        }
        Some(Permit {
            sources: self.sources.clone(),
            ask: Some(ask),
            id: self.id,
            source,
            doubtful,
            sent: false,
        })
    }
}

impl Drop for Wanted {
    fn drop(&mut self) {
        if let Some(ask) = self.ask.take().filter(|_| self.asking || self.doubtful) {
            self.sources.end_later(End::release(self.id, ask));
        }
    }
}

/// The right to send one request. Finish it with the response. Dropped before sending it is free at once; dropped
/// afterwards (a cancelled call) it returns like an answered one.
pub(crate) struct Permit {
    sources: Sources,
    /// Taken when finished.
    ask: Option<Ask>,
    id: u64,
    source: Source,
    doubtful: bool,
    sent: bool,
}

impl Permit {
    /// From here on the platform may have seen the request.
    pub(crate) fn sending(&mut self) {
        self.sent = true;
    }

    pub(crate) async fn finish(mut self, answered: &Answered) {
        let Some(ask) = self.ask.take() else { return };
        let end = End { id: self.id, ask, answered: Some(answered.clone()), void: self.doubtful };
        if self.source != Source::Shared {
            self.sources.end_locally(self.source, &end);
        } else if let Err(error) = self.sources.end_shared(&end).await {
            tracing::debug!(%error, route = end.ask.route, "pacing cannot reach redis, the end is reported again");
            self.sources.end_later(end);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(ask) = self.ask.take() else { return };
        let answered = self.sent.then(Answered::default);
        let end = End { id: self.id, ask, answered, void: self.doubtful };
        if self.source == Source::Shared {
            self.sources.end_later(end);
        } else {
            self.sources.end_locally(self.source, &end);
        }
    }
}
