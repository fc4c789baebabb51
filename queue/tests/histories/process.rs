//! One worker process: the product's heartbeat, claims, effects and ends, called one at a time.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use entities::audit_entry::Actor;
use entities::job::claim::Available;
use entities::job::{self, Claim, Class, JobMessage, Model};
use entities::{GuildId, JobId, worker};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::json;

use super::step::{Cause, Fault, KIND, Simulated};
use super::world::GUILD;
use crate::run::batch::Finisher;
use crate::run::complete::Complete;
use crate::run::context::JobContext;
use crate::run::fetch::{SAFETY_NET_DELAY, available, published};
use crate::run::heartbeat::register;
use crate::run::outcome::{JobError, Outcome, failure};
use crate::run::process::described;
use crate::run::registration::{HEARTBEAT_INTERVAL, Registration};
use crate::run::running::{Entered, Running};
use crate::run::slots::Slots;
use crate::run::strays::Strays;
use crate::{Draft, Queue};

/// Attempts to write an end before the run counts as one without a result.
const WRITE_ATTEMPTS: u32 = 3;
const SNOOZE: Duration = Duration::from_secs(30);

/// A run between two of its steps.
pub(super) struct Run {
    context: JobContext,
    class: Class,
    _entered: Entered,
    effect: bool,
    /// Of a parent: the chunks it has still to plan, and whether a page of them was written.
    chunks: u64,
    paged: bool,
    ended: Option<(Result<Outcome, JobError>, u32)>,
}

pub(super) struct Process {
    pub(super) queue: Queue,
    pub(super) frozen: bool,
    pub(super) running: Running,
    pub(super) runs: Vec<Run>,
    pub(super) registration: Arc<Registration>,
    /// When the newest heartbeat reached the database.
    pub(super) beaten: Duration,
    tried: Duration,
    identity: worker::Model,
    number: u32,
    strays: Strays,
    finisher: Finisher,
}

impl Process {
    pub(super) async fn start(queue: Queue, name: String, now: Duration) -> Self {
        let identity = worker::Model { name, ..described(Slots::default(), queue.clock.now()) };
        Self {
            registration: register(&queue, &identity, 1).await.unwrap(),
            finisher: Finisher::start(&queue),
            queue,
            frozen: false,
            running: Running::default(),
            runs: Vec::new(),
            beaten: now,
            tried: now,
            identity,
            number: 1,
            strays: Strays::default(),
        }
    }

    pub(super) fn is_in_doubt(&self) -> bool {
        self.registration.in_doubt(&self.queue.clock)
    }

    /// A run that only repeats the write of its end has stopped running.
    pub(super) fn runs_job(&self, job: JobId, void: &HashSet<Claim>) -> bool {
        let runs = |claim: Claim| claim.job == job && !void.contains(&claim);
        self.runs.iter().any(|run| run.ended.is_none() && runs(run.context.claim()))
    }

    pub(super) fn claims(&self) -> impl Iterator<Item = Claim> {
        self.runs.iter().map(|run| run.context.claim())
    }

    /// A heartbeat, when one is due, and the check of this process's claims.
    pub(super) async fn beat(&mut self, fault: Fault, now: Duration) -> Cause {
        if now.saturating_sub(self.tried) < HEARTBEAT_INTERVAL {
            return Cause::Nothing;
        }
        self.tried = now;
        let alive = match fault {
            Fault::Refused => return Cause::Nothing,
            Fault::AnswerLost => {
                let (conn, time) = (self.queue.database.write(), self.queue.clock.now());
                if worker::beat(conn, &self.registration.name, time).await.unwrap() {
                    self.beaten = now;
                }
                return Cause::Nothing;
            }
            Fault::None => self.registration.beat(&self.queue).await.unwrap(),
        };
        self.beaten = now;
        if alive {
            self.strays.look(&self.queue, &self.registration, &self.running).await.unwrap();
            return Cause::Look(self.registration.name.clone());
        }
        self.register_anew().await;
        Cause::Nothing
    }

    /// Cancels its runs: the process was declared dead.
    async fn register_anew(&mut self) {
        assert!(self.registration.void.is_cancelled());
        self.runs.clear();
        self.number += 1;
        self.registration = register(&self.queue, &self.identity, self.number).await.unwrap();
    }

    pub(super) async fn claim_published(&mut self, message: &JobMessage, fault: Fault) {
        if fault == Fault::Refused {
            return;
        }
        let claimed = published(&self.queue, &[message.published()], &self.registration).await.unwrap();
        if fault == Fault::None {
            claimed.into_iter().for_each(|job| self.enter(job));
        }
    }

    pub(super) async fn claim_available(&mut self, class: Class, fault: Fault) {
        if fault == Fault::Refused {
            return;
        }
        let wanted = Available { class, kinds: &[KIND], since: SAFETY_NET_DELAY, overtaken: None, most: 2 };
        let claimed = available(&self.queue, wanted, &self.registration).await.unwrap();
        if fault == Fault::None {
            claimed.into_iter().for_each(|job| self.enter(job));
        }
    }

    fn enter(&mut self, job: Model) {
        let class = serde_json::from_value(job.args["class"].clone()).unwrap();
        let context = JobContext::new(job, self.queue.clone(), Arc::clone(&self.registration));
        let chunks = context.args()["chunks"].as_u64().unwrap_or(0);
        // `None`: the same claim once more, after a failover.
        if let Some(entered) = self.running.enter(&context.claim(), context.cancelled().clone()) {
            self.runs.push(Run {
                context,
                class,
                _entered: entered,
                effect: false,
                chunks,
                paged: false,
                ended: None,
            });
        }
    }

    /// The next step of one of its runs: its effect, or its end.
    pub(super) async fn go_on(&mut self, draw: u64, fault: Fault, effects: &mut HashSet<Claim>) -> Cause {
        if self.runs.is_empty() {
            return Cause::Nothing;
        }
        let at = usize::try_from(draw >> 32).unwrap() % self.runs.len();
        // A run is polled only while its process's heartbeat is confirmed.
        if self.runs[at].ended.is_none() && self.is_in_doubt() {
            return Cause::Nothing;
        }
        if !self.runs[at].effect {
            return self.take_effect(at, effects).await;
        }
        if self.runs[at].chunks > 0
            && !self.runs[at].paged
            && self.runs[at].ended.is_none()
            && draw.is_multiple_of(2)
        {
            return self.plan_page(at).await;
        }
        let mut run = self.runs.remove(at);
        let claim = run.context.claim();
        let (result, tries) = run.ended.take().unwrap_or_else(|| (run.outcome(draw % 100), 0));
        let burns = matches!(result, Err(JobError::Retry(_)));
        let written = fault != Fault::Refused && self.write(&run, &result).await;
        if fault != Fault::None && tries + 1 < WRITE_ATTEMPTS {
            run.ended = Some((result, tries + 1));
            self.runs.push(run);
        }
        if written { Cause::Write { claim, burns } } else { Cause::Nothing }
    }

    /// A planner looks for a cancel before a page, which a cancel may meet.
    async fn plan_page(&mut self, at: usize) -> Cause {
        let run = &mut self.runs[at];
        if run.context.check_cancelled().is_err() {
            run.ended = Some((Err(JobError::Cancelled), 0));
            return Cause::Nothing;
        }
        (run.paged, run.chunks) = (true, run.chunks - 1);
        let work = run.context.begin().await.unwrap();
        run.context.add_chunks(work.tx(), drafts(1)).await.unwrap();
        match run.context.checkpoint(work, &json!({})).await {
            Ok(()) => Cause::Page(run.context.claim()),
            Err(JobError::ClaimLost) => {
                self.runs.remove(at);
                Cause::Nothing
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    async fn take_effect(&mut self, at: usize, effects: &mut HashSet<Claim>) -> Cause {
        let run = &mut self.runs[at];
        let claim = run.context.claim();
        match run.context.before_effect().await {
            Ok(()) => {
                run.effect = true;
                effects.insert(claim.clone());
                Cause::Effect(claim)
            }
            Err(JobError::Cancelled) => {
                run.effect = true;
                run.ended = Some((Err(JobError::Cancelled), 0));
                Cause::Nothing
            }
            Err(JobError::ClaimLost) => {
                self.runs.remove(at);
                Cause::Nothing
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    /// A run that has had its effect writes its end, as one that was frozen right before it. Returns its claim if
    /// it still owned the job.
    pub(super) async fn late_write(&mut self) -> Option<Claim> {
        let at = self.runs.iter().position(|run| run.effect && run.ended.is_none())?;
        let run = self.runs.remove(at);
        let written = self.write(&run, &run.outcome(0)).await;
        written.then(|| run.context.claim())
    }

    /// One attempt. Returns after the jobs that the end releases are released.
    async fn write(&self, run: &Run, result: &Result<Outcome, JobError>) -> bool {
        let complete = Complete::of_run(&run.context, run.class, None);
        let written = complete.write(result, &self.finisher).await.unwrap();
        if written && let Ok(Outcome::FanOut { chunks, .. }) = result {
            let children = job::Entity::find().filter(job::Column::ParentId.eq(run.context.id()));
            let planned = children.count(self.queue.database.write()).await.unwrap();
            assert!(planned >= chunks.len() as u64 + u64::from(run.paged), "a planned page is gone");
        }
        let none = Claim { job: JobId(uuid::Uuid::nil()), token: 0, worker: String::new() };
        assert!(!self.finisher.succeed(none, json!({})).await.unwrap());
        written
    }
}

impl Run {
    fn outcome(&self, draw: u64) -> Result<Outcome, JobError> {
        match outcome(draw) {
            Ok(Outcome::Done { .. }) if self.chunks > 0 || self.paged => Ok(Outcome::FanOut {
                chunks: drafts(self.chunks),
                counters: json!({}),
                checkpoint: json!({}),
            }),
            other => other,
        }
    }
}

fn drafts(chunks: u64) -> Vec<Draft> {
    let guild = GuildId::try_from(GUILD).unwrap();
    let draft = |_| Draft::new(guild, &Simulated { class: Class::Bulk }, Actor::service()).unwrap();
    (0..chunks).map(draft).collect()
}

fn outcome(draw: u64) -> Result<Outcome, JobError> {
    let failed = failure(502, "failed", "as the history wants it");
    match draw {
        0..60 => Ok(Outcome::done(json!({}))),
        60..70 => Err(JobError::Retry(failed)),
        70..84 => Err(JobError::Snooze(failed, SNOOZE)),
        84..95 => Ok(Outcome::Yield),
        _ => Err(JobError::Fail(failed)),
    }
}
