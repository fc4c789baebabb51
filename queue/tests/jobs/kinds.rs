//! The kinds of job of these tests.

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use entities::audit_entry::Actor;
use entities::job::Class;
use queue::run::{Handler, JobContext, JobError, Outcome, Registry, failure};
use queue::{Draft, Payload};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::fixture::{Fixture, guild};

macro_rules! kind {
    ($name:ident { $($field:ident: $type:ty),* }, $kind:literal, $attempts:literal $(, $limit:expr)?) => {
        kind!($name { $($field: $type),* }, Default, $kind, $attempts $(, $limit)?);
    };
    (
        $name:ident { $($field:ident: $type:ty),* }, $class:ident, $kind:literal, $attempts:literal
        $(, $limit:expr)?
    ) => {
        #[derive(Debug, Clone, Serialize, Deserialize)]
        pub(crate) struct $name { $(pub(crate) $field: $type),* }

        impl Payload for $name {
            const KIND: &'static str = $kind;
            const CLASS: Class = Class::$class;
            const MAX_ATTEMPTS: i32 = $attempts;
            $(const TIME_LIMIT: Duration = $limit;)?
        }
    };
}

kind!(Echo { text: String }, "echo", 8);
kind!(FailsUntil { attempt: i32 }, "fails_until", 3);
kind!(Refuses {}, "refuses", 8);
kind!(Panics {}, "panics", 2);
kind!(PanicsWhenCut {}, "panics_when_cut", 2, Duration::from_millis(50));
kind!(Blocks {}, "blocks", 2);
kind!(NeverEnds {}, "never_ends", 2, Duration::from_millis(50));
kind!(Gated {}, "gated", 8);
kind!(Snoozes {}, "snoozes", 2);
kind!(Parent { chunks: i64 }, Bulk, "parent", 8);
kind!(Chunk { steps: i64, fails: Option<String> }, Bulk, "chunk", 1);

/// Fails, and chooses its class.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Chooses {
    pub(crate) class: Class,
}

impl Payload for Chooses {
    const KIND: &'static str = "chooses";
    const CLASS: Class = Class::Interactive;

    fn class(&self) -> Class {
        self.class
    }
}

pub(crate) struct ChoosesHandler;

impl Handler for ChoosesHandler {
    type Payload = Chooses;

    async fn run(&self, _: &JobContext, _: Chooses) -> Result<Outcome, JobError> {
        Err(JobError::Retry(failure(502, "not_yet", "not yet")))
    }
}

pub(crate) struct EchoHandler;

impl Handler for EchoHandler {
    type Payload = Echo;

    async fn run(&self, _: &JobContext, payload: Echo) -> Result<Outcome, JobError> {
        Ok(Outcome::done(json!({ "text": payload.text })))
    }
}

pub(crate) struct FailsUntilHandler;

impl Handler for FailsUntilHandler {
    type Payload = FailsUntil;

    async fn run(&self, job: &JobContext, payload: FailsUntil) -> Result<Outcome, JobError> {
        if job.attempt() < payload.attempt {
            return Err(JobError::Retry(failure(502, "not_yet", "not yet")));
        }
        Ok(Outcome::done(json!({ "attempt": job.attempt() })))
    }
}

/// Snoozes twice as often as it has attempts.
pub(crate) struct SnoozesHandler(pub(crate) Arc<AtomicI32>);

impl Handler for SnoozesHandler {
    type Payload = Snoozes;

    async fn run(&self, job: &JobContext, _: Snoozes) -> Result<Outcome, JobError> {
        if self.0.fetch_add(1, Ordering::SeqCst) < 2 * Snoozes::MAX_ATTEMPTS {
            let busy = failure(503, "busy", "the service is busy");
            return Err(JobError::Snooze(busy, Duration::from_secs(600)));
        }
        Ok(Outcome::done(json!({ "attempt": job.attempt() })))
    }
}

pub(crate) struct RefusesHandler;

impl Handler for RefusesHandler {
    type Payload = Refuses;

    async fn run(&self, _: &JobContext, _: Refuses) -> Result<Outcome, JobError> {
        Err(JobError::Fail(failure(404, "not_there", "there is no such thing")))
    }
}

pub(crate) struct PanicsHandler;

impl Handler for PanicsHandler {
    type Payload = Panics;

    async fn run(&self, _: &JobContext, _: Panics) -> Result<Outcome, JobError> {
        panic!("as the test wants it");
    }
}

/// Does not end, and panics when it is dropped.
pub(crate) struct PanicsWhenCutHandler;

struct PanicsOnDrop;

impl Drop for PanicsOnDrop {
    fn drop(&mut self) {
        panic!("as the test wants it");
    }
}

impl Handler for PanicsWhenCutHandler {
    type Payload = PanicsWhenCut;

    async fn run(&self, _: &JobContext, _: PanicsWhenCut) -> Result<Outcome, JobError> {
        let _held = PanicsOnDrop;
        std::future::pending().await
    }
}

pub(crate) struct NeverEndsHandler;

impl Handler for NeverEndsHandler {
    type Payload = NeverEnds;

    async fn run(&self, _: &JobContext, _: NeverEnds) -> Result<Outcome, JobError> {
        std::future::pending().await
    }
}

/// Blocks its thread until the test has come to the barrier `over`.
#[derive(Clone)]
pub(crate) struct Block {
    pub(crate) entered: Arc<Semaphore>,
    pub(crate) over: Arc<Barrier>,
}

impl Default for Block {
    fn default() -> Self {
        Self { entered: Arc::new(Semaphore::new(0)), over: Arc::new(Barrier::new(2)) }
    }
}

impl Handler for Block {
    type Payload = Blocks;

    async fn run(&self, _: &JobContext, _: Blocks) -> Result<Outcome, JobError> {
        self.entered.add_permits(1);
        self.over.wait();
        Ok(Outcome::done(json!({})))
    }
}

/// Signals its start, and ends when the test opens it or it is cancelled.
#[derive(Clone)]
pub(crate) struct Gate {
    pub(crate) entered: Arc<Semaphore>,
    pub(crate) open: Arc<Semaphore>,
    pub(crate) most: Arc<AtomicI32>,
    inside: Arc<AtomicI32>,
}

impl Gate {
    pub(crate) fn new() -> Self {
        let closed = || Arc::new(Semaphore::new(0));
        Self { entered: closed(), open: closed(), most: Arc::default(), inside: Arc::default() }
    }

    pub(crate) async fn wait_for_entry(&self) {
        self.entered.acquire().await.unwrap().forget();
    }

    /// The runs that are at it now.
    pub(crate) fn inside(&self) -> i32 {
        self.inside.load(Ordering::SeqCst)
    }

    async fn pass(&self, job: &JobContext) -> Result<(), JobError> {
        let inside = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(inside, Ordering::SeqCst);
        self.entered.add_permits(1);
        let passed = tokio::select! {
            permit = self.open.acquire() => { permit.unwrap().forget(); Ok(()) }
            () = job.cancelled().cancelled() => Err(JobError::Cancelled),
        };
        self.inside.fetch_sub(1, Ordering::SeqCst);
        passed
    }
}

impl Handler for Gate {
    type Payload = Gated;

    async fn run(&self, job: &JobContext, _: Gated) -> Result<Outcome, JobError> {
        self.pass(job).await?;
        Ok(Outcome::done(json!({ "attempt": job.attempt() })))
    }
}

pub(crate) struct ParentHandler;

impl Handler for ParentHandler {
    type Payload = Parent;

    async fn run(&self, job: &JobContext, payload: Parent) -> Result<Outcome, JobError> {
        let chunks = (0..payload.chunks)
            .map(|_| {
                Draft::new(guild(), &Chunk { steps: 5, fails: None }, Actor::service()).unwrap().total(5)
            })
            .collect();
        job.set_progress(0, payload.chunks * 5, 0);
        Ok(Outcome::FanOut { chunks, counters: json!({ "planned": payload.chunks }), checkpoint: json!({}) })
    }
}

/// A chunk that waits at a gate after its second step.
pub(crate) struct ChunkHandler(pub(crate) Gate);

impl Handler for ChunkHandler {
    type Payload = Chunk;

    async fn run(&self, job: &JobContext, payload: Chunk) -> Result<Outcome, JobError> {
        job.set_progress(2, payload.steps, 0);
        job.set_counters(json!({ "stepped": 2 }));
        job.checkpoint(job.begin().await?, &json!({ "at": 2 })).await?;
        self.0.pass(job).await?;
        if let Some(word) = payload.fails {
            return Err(JobError::Fail(failure(403, &word, "as the test wants it")));
        }
        job.set_progress(payload.steps, payload.steps, 1);
        Ok(Outcome::done(json!({ "stepped": payload.steps })))
    }
}

impl Fixture {
    /// Starts a worker with the kinds of [`registry`].
    pub(crate) fn work(&self) {
        self.work_with(registry());
    }
}

pub(crate) fn registry() -> Registry {
    Registry::default().with(EchoHandler).with(FailsUntilHandler).with(RefusesHandler).with(PanicsHandler)
}
