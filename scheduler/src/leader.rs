//! Leader election: a lease in the database, which its holder extends every two seconds.
//!
//! No process compares its clock with that of another or of the database: all of them can be wrong, and step. A waiting
//! process sees the number in the lease stand still for [`LEASE`], on its own steady clock, and takes the lease with an
//! update that names that number. The holder counts on an extension for [`SURE`] from before it was sent, on its own
//! steady clock too. So it has stopped counting before another starts, also when it was frozen in between, as long as
//! no clock runs wrong by a fifth. A machine suspended as a whole may not count that time: the guarded updates refuse
//! what such a leader does until its next extension.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use entities::leader_lease;
use runtime::{Clock, Context};
use sea_orm::DbErr;

/// A leader whose lease was not extended for this long may be replaced. With the next look that makes 14 s at most
/// while the database answers at once: leadership moves within 20 s.
pub const LEASE: Duration = Duration::from_secs(10);
/// For how long a leader counts on its last extension.
const SURE: Duration = Duration::from_secs(8);
/// Interval at which the leader extends its lease, and the others look at it.
pub(crate) const BEAT_EVERY: Duration = Duration::from_secs(2);
/// How long the database may take to answer before the next try.
const ANSWER: Duration = Duration::from_secs(4);
pub(crate) const NAME: &str = "scheduler";

/// Whether this process leads, and its name in the rows it writes.
#[derive(Clone)]
pub(crate) struct Leadership {
    pub(crate) holder: Arc<str>,
    clock: Clock,
    alone: bool,
    /// On the steady clock.
    until: Arc<Mutex<Duration>>,
}

impl Leadership {
    fn new(context: &Context, alone: bool) -> Self {
        let holder = format!("scheduler-{}", uuid::Uuid::now_v7()).into();
        Self { holder, clock: context.clock.clone(), alone, until: Arc::default() }
    }

    /// Leads at once and always: the one process of an installation.
    pub(crate) fn alone(context: &Context) -> Self {
        Self::new(context, true)
    }

    pub(crate) fn leads(&self) -> bool {
        self.alone || self.clock.steady() < *self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leads_until(&self, until: Duration) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }
}

pub(crate) fn start(context: &Context, alone: bool) -> Leadership {
    if alone {
        return Leadership::alone(context);
    }
    let candidate = Candidate::new(context);
    let leadership = candidate.leadership.clone();
    context.shutdown.tracker().spawn(candidate.keep());
    leadership
}

/// A process that wants to lead: it calls [`beat`](Self::beat) again and again.
pub(crate) struct Candidate {
    context: Context,
    pub(crate) leadership: Leadership,
    watched: Option<Watched>,
    /// The state last written to the log.
    told: bool,
}

/// The lease of another process.
struct Watched {
    lease: i64,
    /// When it was first seen like this, on the steady clock.
    since: Duration,
}

impl Candidate {
    pub(crate) fn new(context: &Context) -> Self {
        let leadership = Leadership::new(context, false);
        Self { context: context.clone(), leadership, watched: None, told: false }
    }

    async fn keep(mut self) {
        let shutdown = self.context.shutdown.clone();
        let mut tick = tokio::time::interval(BEAT_EVERY);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                () = shutdown.soft().cancelled() => break,
            }
            match tokio::time::timeout(ANSWER, self.beat()).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(%error, "cannot read or extend the lease of the leader"),
                Err(_) => tracing::warn!("the database did not answer in time for the leader's lease"),
            }
            self.tell();
        }
        if let Err(error) = self.resign().await {
            tracing::debug!(%error, "lease not released: it will expire");
        }
        self.tell();
    }

    /// Extends the own lease, or looks at that of another. An error or a cut leaves the last extension valid until its
    /// end.
    pub(crate) async fn beat(&mut self) -> Result<(), DbErr> {
        // Held, but answered too late to count on, as the process was frozen in between: asked once more.
        for _ in 0..2 {
            let asked = self.context.clock.steady();
            let holds = self.try_hold().await?;
            self.leadership.leads_until(if holds { asked + SURE } else { Duration::ZERO });
            if !holds || self.leadership.leads() {
                break;
            }
        }
        Ok(())
    }

    async fn try_hold(&mut self) -> Result<bool, DbErr> {
        let (database, now) = (self.context.database.clone(), self.context.clock.now());
        let (conn, holder) = (database.write(), &*Arc::clone(&self.leadership.holder));
        let Some(found) = leader_lease::find(conn, NAME).await? else {
            return leader_lease::open(conn, NAME, holder, now).await;
        };
        if found.holder == holder {
            return leader_lease::extend(conn, NAME, holder, now).await;
        }
        if found.is_given_up() || self.has_stood_still(found.lease) {
            return leader_lease::take(conn, &found, holder, now).await;
        }
        Ok(false)
    }

    /// Whether the number has been this one for the length of a lease. What was read may be as old as the moment before
    /// it was asked for, never older than the holder's sign of life: so time counts from now on.
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

    pub(crate) async fn resign(&self) -> Result<(), DbErr> {
        self.leadership.leads_until(Duration::ZERO);
        let now = self.context.clock.now();
        leader_lease::release(self.context.database.write(), NAME, &self.leadership.holder, now).await
    }

    fn tell(&mut self) {
        let (leads, holder) = (self.leadership.leads(), &*self.leadership.holder);
        metrics::gauge!("guildhall_scheduler_leads").set(f64::from(u8::from(leads)));
        match (self.told, leads) {
            (false, true) => tracing::info!(holder, "leading: this process rescues jobs and fires schedules"),
            (true, false) => tracing::info!(holder, "not leading any more"),
            _ => {}
        }
        self.told = leads;
    }
}

#[cfg(test)]
mod tests;
