//! The process that runs the job dies between its claim and the answer to its caller.

use std::time::Instant;

use crate::resilience::faults::armed::{api_of, has_died, start, start_own};
use crate::resilience::faults::operation::Operation;
use testkit::{Answer, Api, Deployment, JobState, Mode, Setup, run_unstarted};

macro_rules! points {
    ($($name:ident: $point:ident, $operation:ident);+ $(;)?) => { $(
        mod $name {
            use super::*;

            const DEATH: Death = Death { point: stringify!($point), operation: Operation::$operation };

            #[test]
            fn embedded() {
                run_unstarted(Setup::new(Mode::Embedded), async |deployment| DEATH.of_serve(deployment).await);
            }

            #[test]
            fn distributed() {
                run_unstarted(Setup::new(Mode::Distributed), async |deployment| DEATH.of_a_worker(deployment).await);
            }
        }
    )+ };
}

points! {
    after_claim: after_claim, Sync;
    after_ack: after_ack, Sync;
    after_effect: after_effect, Ticket;
    after_effect_that_shows_no_trace: after_effect, Sync;
    before_commit: before_commit, Sync;
    before_commit_of_a_batch: before_commit, Ticket;
    after_commit: after_commit, Ticket;
}

struct Death {
    point: &'static str,
    operation: Operation,
}

impl Death {
    fn points(&self) -> String {
        // Jobs without other rows end in batches, whose fail point has the class as its detail.
        match (self.point, self.operation) {
            ("before_commit", Operation::Ticket) => "before_commit:interactive=abort".to_owned(),
            (point, operation) => format!("{point}:{}=abort", operation.kind()),
        }
    }

    async fn of_serve(&self, deployment: &Deployment) {
        let mut dying = start(deployment, "serve", &self.points()).await;
        let api = patient(&api_of(deployment, &dying));
        self.operation.prepare(deployment, &api).await;
        let saw = self.operation.call(deployment, &api).await;
        has_died(&mut dying).await;
        assert!(saw.is_err(), "the connection should have broken off: {saw:?}");
        self.row_right_after(deployment).await;
        deployment.start_all().await;
        self.in_the_end(deployment).await;
    }

    async fn of_a_worker(&self, deployment: &Deployment) {
        start_own(deployment, &["api", "scheduler"]).await;
        let mut dying = start(deployment, "worker", &self.points()).await;
        let api = patient(&deployment.api());
        self.operation.prepare(deployment, &api).await;
        let (saw, ready) = tokio::join!(self.operation.call(deployment, &api), async {
            has_died(&mut dying).await;
            self.row_right_after(deployment).await;
            deployment.let_be_silent(&dying.process).await;
            start_own(deployment, &["worker"]).await;
            Instant::now()
        });
        println!("{}: answered {:?} after another worker was ready", self.point, ready.elapsed());
        // The caller gets the usual answer, only later.
        self.operation.assert_done_once(deployment, &saw.unwrap()).await;
        self.in_the_end(deployment).await;
    }

    async fn row_right_after(&self, deployment: &Deployment) {
        let row = deployment.job_row(self.operation.kind()).await;
        assert_eq!((row.attempt, row.token), (1, 1), "{row:?}");
        let (effects, told) = match self.point {
            "after_claim" | "after_ack" => (0, 0),
            // The audit entry of a sync commits with the job's end, that of a ticket with the ticket.
            "after_commit" => (1, 1),
            _ => (1, usize::from(self.operation == Operation::Ticket)),
        };
        let state = if self.point == "after_commit" { JobState::Succeeded } else { JobState::Running };
        assert_eq!(row.state, state, "{row:?}");
        assert_eq!(self.operation.effects(deployment).await, effects);
        if deployment.mode() == Mode::Distributed {
            assert_eq!(self.operation.audit_entries(deployment).await, (told, 1));
        }
    }

    /// A repeat of the call under the same key gets the first answer.
    async fn in_the_end(&self, deployment: &Deployment) {
        let again: Answer = self.operation.call(deployment, &patient(&deployment.api())).await.unwrap();
        assert_eq!(again.header("idempotent-replayed"), Some("true"), "{again}");
        self.operation.assert_done_once(deployment, &again).await;
        let row = deployment.job_row(self.operation.kind()).await;
        let claims = if self.point == "after_commit" { 1 } else { 2 };
        assert_eq!((row.attempt, row.token), (1, claims), "a worker that died is no attempt: {row:?}");
    }
}

fn patient(api: &Api) -> Api {
    api.header("prefer", "wait=30").header("idempotency-key", "once")
}
