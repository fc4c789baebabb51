//! Jobs whose worker processes crash: rescued, quarantined, finally dead, without effect on other jobs.

use std::sync::atomic::Ordering;

use entities::job::rescue::QUARANTINE_AFTER;
use entities::job::run::{self, Requeue};
use entities::job::{Class, Model, State};
use entities::{JobId, Page, audit_entry};
use queue::{Payload, Retry};

use crate::fixture::{Fixture, NET_AFTER, both_modes, guild};
use crate::kinds::{Chooses, ChoosesHandler, Echo, Gate, Gated, Panics, registry};

impl Fixture {
    /// Claims the job for an unregistered process and rescues it.
    async fn crash(&self, job: JobId) -> Model {
        self.claim(job).await.unwrap();
        assert_eq!(self.queue.rescue_orphaned().await.unwrap(), 1);
        self.row(job).await
    }
}

fn echo() -> Echo {
    Echo { text: String::new() }
}

both_modes! {
    async fn a_job_that_cannot_be_rescued_keeps_no_other_one_waiting(fixture: Fixture) {
        let (first, second) = (fixture.enqueue(&echo()).await.job, fixture.enqueue(&echo()).await.job);
        for job in [first, second] {
            fixture.claim(job).await.unwrap();
        }
        // A change of the first one fails.
        let broken = if fixture.context.database.is_postgres() {
            format!(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \
                 'BEGIN IF NEW.job_id = ''{first}'' THEN RAISE ''broken''; END IF; RETURN NEW; END'; \
                 CREATE TRIGGER broken BEFORE UPDATE ON job FOR EACH ROW EXECUTE FUNCTION refuse()"
            )
        } else {
            format!(
                "CREATE TRIGGER broken BEFORE UPDATE ON job WHEN NEW.job_id = x'{}' \
                 BEGIN SELECT RAISE(ABORT, 'broken'); END",
                first.0.simple()
            )
        };
        fixture.execute(&broken).await;
        assert_eq!(fixture.queue.rescue_orphaned().await.unwrap(), 1);
        assert_eq!(fixture.row(second).await.state, State::Queued);
        assert_eq!(fixture.row(first).await.state, State::Running);
        fixture.execute(if fixture.context.database.is_postgres() { "DROP TRIGGER broken ON job" } else { "DROP TRIGGER broken" }).await;
        if fixture.context.database.is_postgres() {
            let locked = fixture.context.database.begin().await.unwrap();
            entities::job::cancel::lock_open(&locked, guild()).await.unwrap();
            let rescued = tokio::time::timeout(std::time::Duration::from_secs(10), fixture.queue.rescue_orphaned());
            assert_eq!(rescued.await.unwrap().unwrap(), 0, "it is locked");
            locked.rollback().await.unwrap();
        }
        assert_eq!(fixture.queue.rescue_orphaned().await.unwrap(), 1);
    }

    async fn two_crashes_cost_no_attempt_and_later_ones_do_until_the_job_is_dead(fixture: Fixture) {
        let job = fixture.enqueue(&Panics {}).await.job;
        let first = fixture.crash(job).await;
        assert_eq!((first.state, first.attempt, first.crashes), (State::Queued, 0, 1));
        assert_eq!((first.class, first.run_at), (Class::Default, fixture.context.clock.now()), "run again at once");
        for (crashes, attempt, seconds) in [(2, 0, 1.0), (3, 1, 5.0)] {
            let row = fixture.crash(job).await;
            assert_eq!((row.state, row.class), (State::Queued, Class::Quarantine));
            assert_eq!((row.attempt, row.crashes), (attempt, crashes));
            let pause = (row.run_at - fixture.context.clock.now()).as_seconds_f64();
            assert!((seconds * 0.79..=seconds * 1.21).contains(&pause), "crash {crashes}: {pause} s");
            assert_eq!(row.failure().unwrap().error, "worker_lost", "the row names the reason of the wait");
        }
        let row = fixture.crash(job).await;
        assert_eq!((row.state, row.attempt), (State::Dead, Panics::MAX_ATTEMPTS));
        assert_eq!(row.failure().unwrap().error, "worker_lost");
        let history: Vec<_> =
            row.history().into_iter().map(|crash| (crash.attempt, crash.error, crash.worker.unwrap())).collect();
        let crash = |attempt| (attempt, "worker_lost".to_owned(), "by-hand".to_owned());
        assert_eq!(history, [crash(1), crash(1), crash(1), crash(2)]);
        let conn = fixture.context.database.read();
        let entries = audit_entry::list(conn, guild(), Some("job.failed"), Page::first(9)).await.unwrap();
        assert_eq!((entries.len(), &entries[0].target_id), (1, &job.to_string()));
        assert_eq!(entries[0].metadata["kind"], Panics::KIND);
    }

    async fn a_retried_job_stays_in_quarantine_until_a_run_ends_without_a_crash(fixture: Fixture) {
        let job = fixture.enqueue(&Panics {}).await.job;
        while fixture.row(job).await.state != State::Dead {
            fixture.crash(job).await;
        }
        let Retry::Queued(row) = fixture.retry(job).await else { panic!("not retried") };
        assert_eq!((row.class, row.attempt, row.history().len()), (Class::Quarantine, 0, 4));
        fixture.work();
        fixture.queue.publish([row.message()]);
        let row = fixture.wait_until(job, |row| row.history().len() == 5).await;
        assert_eq!((row.class, row.crashes, row.attempt), (Class::Default, 0, 1), "a panic is not a crash");
    }

    async fn a_job_keeps_its_class_when_it_runs_again_also_after_quarantine(fixture: Fixture) {
        let chooses = Chooses { class: Class::Bulk };
        let (plain, crashed) = (fixture.enqueue(&chooses).await.job, fixture.enqueue(&chooses).await.job);
        for class in [Class::Bulk, Class::Quarantine] {
            assert_eq!(fixture.crash(crashed).await.class, class);
        }
        fixture.work_with(registry().with(ChoosesHandler));
        fixture.advance(NET_AFTER * 2).await;
        for job in [plain, crashed] {
            let row = fixture.exhaust(job).await;
            assert_eq!((row.class, row.failure().unwrap().error.as_str()), (Class::Bulk, "not_yet"));
        }
    }

    async fn quarantined_jobs_run_one_at_a_time_and_delay_no_other_class(fixture: Fixture) {
        let gate = Gate::new();
        let (one, two) = (fixture.enqueue(&Gated {}).await.job, fixture.enqueue(&Gated {}).await.job);
        for job in [one, two] {
            for _ in 0..QUARANTINE_AFTER {
                fixture.crash(job).await;
            }
        }
        fixture.advance(NET_AFTER * 2).await;
        fixture.work_with(registry().with(gate.clone()));
        gate.wait_for_entry().await;
        assert!(fixture.call(&echo()).await.is_some(), "other classes run meanwhile");
        gate.open.add_permits(2);
        fixture.wait_for(one, State::Succeeded).await;
        fixture.wait_for(two, State::Succeeded).await;
        assert_eq!(gate.most.load(Ordering::SeqCst), 1);
    }

    async fn a_run_that_yields_resets_the_crashes(fixture: Fixture) {
        let job = fixture.enqueue(&echo()).await.job;
        fixture.crash(job).await;
        let claimed = fixture.claim(job).await.unwrap();
        let (conn, now) = (fixture.context.database.write(), fixture.context.clock.now());
        let row = run::requeue(conn, &claimed, Requeue::default(), now).await.unwrap().unwrap();
        assert_eq!((row.crashes, row.attempt, row.history().len()), (0, 0, 1));
    }

    async fn a_crashed_job_with_a_cancel_request_is_cancelled(fixture: Fixture) {
        let job = fixture.enqueue(&echo()).await.job;
        fixture.claim(job).await.unwrap();
        fixture.cancel(job).await;
        assert_eq!(fixture.queue.rescue_orphaned().await.unwrap(), 1);
        assert_eq!(fixture.row(job).await.state, State::Cancelled);
    }

    async fn the_history_keeps_the_newest_sixteen(fixture: Fixture) {
        let job = fixture.enqueue(&echo()).await.job;
        fixture.execute("UPDATE job SET max_attempts = 100").await;
        for _ in 0..20 {
            fixture.crash(job).await;
        }
        let attempts: Vec<_> = fixture.row(job).await.history().iter().map(|crash| crash.attempt).collect();
        assert_eq!(attempts, (3..=18).collect::<Vec<_>>());
    }
}
