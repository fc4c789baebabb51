//! Leader election: a lease in the database, which its holder extends every two seconds.
//!
//! No process compares its clock with that of another or of the database: any of them can be wrong, and jump. A waiting
//! process takes the lease when the lease's number has not changed for [`LEASE`] on its own monotonic clock, with an
//! update conditional on that number. The holder relies on an extension for [`EXTENSION_VALID_FOR`] after sending it,
//! on its own monotonic clock too. So it stops leading before another process starts, even if it was frozen in between,
//! as long as no clock is off by a fifth. The clock of a suspended machine may stop: the guarded updates refuse the
//! writes of such a leader until its next extension.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use entities::leader_lease;
use sea_orm::DbErr;

use crate::clock::Clock;
use crate::context::Context;

/// A leader whose lease was not extended for this long may be replaced. With the polling interval that makes at most 14
/// s while the database responds at once: leadership moves within 20 s.
pub const LEASE: Duration = Duration::from_secs(10);
/// How long a leader relies on its last extension.
pub const EXTENSION_VALID_FOR: Duration = Duration::from_secs(8);
/// Interval at which the leader extends its lease, and the others read it.
pub const LEASE_INTERVAL: Duration = Duration::from_secs(2);
/// After a request of the database that failed: when it is back, somebody leads soon.
const AGAIN_AFTER: Duration = Duration::from_millis(500);
/// Timeout of a database request before the next attempt.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(4);

/// Whether this process leads.
#[derive(Clone)]
pub struct Leadership {
    holder: Arc<str>,
    clock: Clock,
    alone: bool,
    /// On the monotonic clock.
    until: Arc<Mutex<Duration>>,
}

impl Leadership {
    fn new(context: &Context, name: &str, alone: bool) -> Self {
        let holder = format!("{name}-{}", uuid::Uuid::now_v7()).into();
        Self { holder, clock: context.clock.clone(), alone, until: Arc::default() }
    }

    /// Leads at once and permanently: the only process of an installation.
    fn alone(context: &Context, name: &str) -> Self {
        Self::new(context, name, true)
    }

    /// Its name in the rows it writes.
    pub fn holder(&self) -> &str {
        &self.holder
    }

    pub fn leads(&self) -> bool {
        self.alone || self.clock.steady() < *self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leads_until(&self, until: Duration) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }
}

/// A candidate for the lease of this name until the shutdown. `told` hears at the start and at each change whether it leads; a
/// process that is alone leads at once.
pub fn start(
    context: &Context,
    name: &str,
    alone: bool,
    told: impl Fn(bool) + Send + Sync + 'static,
) -> Leadership {
    told(alone);
    if alone {
        return Leadership::alone(context, name);
    }
    let candidate = Candidate::new(context, name);
    let leadership = candidate.leadership.clone();
    context.shutdown.tracker().spawn(candidate.keep(told));
    leadership
}

/// A candidate for leadership; its loop calls [`beat`](Self::beat) periodically.
pub struct Candidate {
    context: Context,
    name: Arc<str>,
    pub leadership: Leadership,
    watched: Option<Watched>,
}

/// The lease of another process.
struct Watched {
    lease: i64,
    /// When this number was first seen, on the monotonic clock.
    since: Duration,
}

impl Candidate {
    pub fn new(context: &Context, name: &str) -> Self {
        let leadership = Leadership::new(context, name, false);
        Self { context: context.clone(), name: name.into(), leadership, watched: None }
    }

    async fn keep(mut self, told: impl Fn(bool)) {
        let (mut led, lease) = (false, self.name.to_string());
        let mut tell = |leads| {
            match (led, leads) {
                (false, true) => tracing::info!(lease, "leading"),
                (true, false) => tracing::info!(lease, "no longer leading"),
                _ => return,
            }
            told(leads);
            led = leads;
        };
        let shutdown = self.context.shutdown.clone();
        let mut tick = tokio::time::interval(LEASE_INTERVAL);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                () = shutdown.soft().cancelled() => break,
            }
            let beat = tokio::time::timeout(REQUEST_TIMEOUT, self.beat()).await;
            if !matches!(beat, Ok(Ok(()))) {
                tick.reset_after(AGAIN_AFTER);
            }
            match beat {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    crate::warn_throttled!(%error, lease = &*self.name, "cannot read or extend the lease of the leader");
                }
                Err(_) => {
                    crate::warn_throttled!(
                        lease = &*self.name,
                        "the database did not answer in time for the leader's lease"
                    );
                }
            }
            tell(self.leadership.leads());
        }
        if let Err(error) = self.resign().await {
            tracing::debug!(%error, "lease not released: it will expire");
        }
        tell(false);
    }

    /// Extends its own lease, or reads that of another process. After an error or a cut the last extension stays valid
    /// until its end.
    pub async fn beat(&mut self) -> Result<(), DbErr> {
        // Extended, but the response came too late to rely on because the process was frozen: extend once more.
        for _ in 0..2 {
            let asked = self.context.clock.steady();
            let holds = self.try_hold().await?;
            self.leadership.leads_until(if holds { asked + EXTENSION_VALID_FOR } else { Duration::ZERO });
            if !holds || self.leadership.leads() {
                break;
            }
        }
        Ok(())
    }

    async fn try_hold(&mut self) -> Result<bool, DbErr> {
        let (database, now) = (self.context.database.clone(), self.context.clock.now());
        let (conn, holder) = (database.write(), &*Arc::clone(&self.leadership.holder));
        let Some(found) = leader_lease::find(conn, &self.name).await? else {
            return leader_lease::open(conn, &self.name, holder, now).await;
        };
        if found.holder == holder {
            return leader_lease::extend(conn, &self.name, holder, now).await;
        }
        if found.is_given_up() || self.has_stood_still(found.lease) {
            return leader_lease::take(conn, &found, holder, now).await;
        }
        Ok(false)
    }

    /// Whether the number has been unchanged for the length of a lease. The value may be as old as the start of the
    /// read, but never older than the holder's extension: so time counts from now on.
    fn has_stood_still(&mut self, lease: i64) -> bool {
        let now = self.context.clock.steady();
        match &self.watched {
            Some(watched) if watched.lease == lease => now >= watched.since + LEASE,
            _ => {
                self.watched = Some(Watched { lease, since: now });
                false
            }
        }
    }

    pub async fn resign(&self) -> Result<(), DbErr> {
        self.leadership.leads_until(Duration::ZERO);
        let now = self.context.clock.now();
        leader_lease::release(self.context.database.write(), &self.name, &self.leadership.holder, now).await
    }
}
