//! Liveness of staff sessions for heartbeats, without a query for each.
//!
//! Heartbeats are answered from this cache and written in batches. If a write finds that its session has ended, the entry
//! is dropped, and the next heartbeat reads the row.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use entities::{GuildId, SessionId, Timestamp, staff_session};
use runtime::{Context, Freshness};
use sea_orm::DbErr;

use crate::cache::event_fed::EventFed;

const CAPACITY: usize = 100_000;

/// Guild and session: a session of another guild does not exist for the caller.
pub(crate) type OwnSession = (GuildId, SessionId);

pub(crate) struct Sessions {
    pub(crate) entries: EventFed<OwnSession, Option<Known>>,
}

#[derive(Debug, Clone)]
pub(crate) struct Known {
    ended: bool,
    /// Second of the last heartbeat, received here or read.
    heard: Arc<AtomicI64>,
}

impl Known {
    fn new(row: &staff_session::Model) -> Self {
        let heard = Arc::new(AtomicI64::new(row.heartbeat_second.get()));
        Self { ended: row.ended_second.is_some(), heard }
    }

    fn is_live(&self, now: Timestamp) -> bool {
        !self.ended && now.timestamp() - self.heard.load(Ordering::Relaxed) <= staff_session::STALE_AFTER
    }
}

impl Sessions {
    pub(crate) fn new(freshness: &Freshness) -> Self {
        Self { entries: EventFed::new("sessions", freshness, CAPACITY) }
    }

    /// Whether the session is live; if so, this call counts as a heartbeat. `None`: the guild has no such session.
    pub(crate) async fn heartbeat(
        &self,
        context: &Context,
        session: OwnSession,
        now: Timestamp,
    ) -> Result<Option<bool>, DbErr> {
        let known = match self.entries.get(&session) {
            // Stale in this process, but its heartbeats may have gone to another one.
            Some(Some(known)) if !known.ended && !known.is_live(now) => None,
            known => known,
        };
        let known = match known {
            Some(known) => known,
            // Boxed, because most heartbeats need no space for it.
            None => Box::pin(self.read(context, session)).await?,
        };
        let Some(known) = known else { return Ok(None) };
        let alive = known.is_live(now);
        if alive {
            known.heard.fetch_max(now.timestamp(), Ordering::Relaxed);
        }
        Ok(Some(alive))
    }

    async fn read(&self, context: &Context, session: OwnSession) -> Result<Option<Known>, DbErr> {
        let row = staff_session::find(context.database.read(), session.0, session.1);
        let read = async { Ok(row.await?.as_ref().map(Known::new)) };
        Box::pin(self.entries.load_or_stale(&session, read)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_lives_for_120_s_after_its_last_sign_of_life() {
        let known = |ended| Known { ended, heard: Arc::new(AtomicI64::new(1_000)) };
        let at = |second| Timestamp::from_timestamp(second, 0).unwrap();
        assert!(known(false).is_live(at(1_120)));
        assert!(!known(false).is_live(at(1_121)));
        assert!(!known(true).is_live(at(1_000)));
    }
}
