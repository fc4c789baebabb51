//! One permit from the first question to its end, so that none is lost on the way: a question that was cut off or never
//! answered is given back, and ends are repeated until Redis has confirmed them.

use crate::pacing::answered::Answered;
use crate::pacing::end::{End, Source};
use crate::pacing::sources::Sources;
use crate::pacing::state::Ask;

/// A permit that is asked for. Dropped before its grant it is given back, if it may have been granted.
pub(super) struct Wanted {
    sources: Sources,
    /// Taken with the grant.
    ask: Option<Ask>,
    pub(super) id: u64,
    /// A question is under way in Redis.
    pub(super) asking: bool,
    /// A question was never answered: it may be read by Redis at any time from now on.
    pub(super) doubtful: bool,
}

impl Wanted {
    pub(super) fn new(sources: &Sources, ask: Ask) -> Self {
        Self { sources: sources.clone(), ask: Some(ask), id: rand::random(), asking: false, doubtful: false }
    }

    pub(super) fn granted(mut self, source: Source) -> Option<Permit> {
        let ask = self.ask.take()?;
        // Granted elsewhere, what was asked of Redis is given back.
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

/// The right to send one request. Finish it with what the answer said. Dropped before it was sent it is free at once;
/// dropped after (a cancelled call) it comes back like an answered one.
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
            tracing::debug!(%error, route = end.ask.route, "pacing cannot reach redis, the end is said again");
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
