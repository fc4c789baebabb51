//! Manual retries: of one job, of one in its backoff, of all failed ones of a kind.

use entities::JobId;
use entities::audit_entry::Actor;
use entities::job::run::{self, Ending};
use entities::job::{State, Status, retry};
use queue::run::failure;
use queue::{Draft, Retry};

use crate::fixture::{Fixture, both_modes, guild};
use crate::kinds::{Echo, FailsUntil, registry};

fn echo() -> Draft {
    Draft::new(guild(), &Echo { text: String::new() }, Actor::service()).unwrap()
}

impl Fixture {
    async fn fail(&self, job: JobId) {
        let failed = Ending::Failed(failure(404, "not_there", "as the test wants it"));
        let claimed = self.claim(job).await.unwrap();
        let (conn, now) = (self.context.database.write(), self.context.clock.now());
        run::end(conn, &claimed, &failed, claimed.known(), now).await.unwrap().unwrap();
    }
}

both_modes! {
    async fn a_retried_dead_job_has_all_its_attempts_and_keeps_its_history(fixture: Fixture) {
        fixture.work();
        let enqueued = fixture.enqueue(&FailsUntil { attempt: 99 }).await;
        fixture.queue.publish(enqueued.message);
        let dead = fixture.exhaust(enqueued.job).await;
        assert_eq!((dead.attempt, dead.failure().unwrap().error.as_str()), (3, "not_yet"));
        let attempts: Vec<_> = dead.history().iter().map(|failed| failed.attempt).collect();
        assert_eq!(attempts, [1, 2, 3]);
        let Retry::Queued(row) = fixture.retry(enqueued.job).await else { panic!("not retried") };
        assert_eq!((row.state, row.attempt, row.history().len()), (State::Queued, 0, 3));
        fixture.queue.publish([row.message()]);
        assert_eq!(fixture.exhaust(enqueued.job).await.history().len(), 6);
    }

    async fn only_failed_jobs_without_an_unfinished_duplicate_are_retried(fixture: Fixture) {
        let first = fixture.enqueue_draft(echo().once("all")).await.job;
        assert_eq!(fixture.retry(first).await, Retry::NotFailed(State::Queued), "it is due already");
        fixture.fail(first).await;
        let second = fixture.enqueue_draft(echo().once("all")).await.job;
        assert_eq!(fixture.retry(first).await, Retry::Duplicate(second));
        let chunk = fixture.insert_chunk(first, &Echo { text: String::new() }, 1).await;
        assert_eq!(fixture.retry(chunk).await, Retry::PartOf(first));
        fixture.work();
        fixture.queue.publish([fixture.row(second).await.message()]);
        fixture.wait_for(second, State::Succeeded).await;
        assert!(matches!(fixture.retry(first).await, Retry::Queued(_)), "the duplicate has ended");
        assert_eq!(fixture.retry(second).await, Retry::NotFailed(State::Succeeded));
    }

    async fn a_job_that_waits_for_its_next_attempt_becomes_due(fixture: Fixture) {
        fixture.work();
        let enqueued = fixture.enqueue(&FailsUntil { attempt: 3 }).await;
        fixture.queue.publish(enqueued.message);
        fixture.wait_until(enqueued.job, |row| row.token > 0).await;
        // The clocks do not advance, so only the manual retry makes it due.
        fixture.execute("UPDATE job SET run_at = created_at").await;
        let waits = |row: &entities::job::Model| row.state == State::Queued && row.attempt == 2;
        let row = fixture.wait_until(enqueued.job, waits).await;
        assert_eq!(row.status(fixture.context.clock.now()), Status::Retrying);
        if let Retry::Queued(due) = fixture.retry(enqueued.job).await {
            assert_eq!((due.attempt, due.run_at), (2, fixture.context.clock.now()), "no attempt is given or taken");
            fixture.queue.publish([due.message()]);
        }
        let row = fixture.wait_for(enqueued.job, State::Succeeded).await;
        assert_eq!((row.attempt, row.token), (3, 3));
    }

    async fn all_failed_jobs_of_a_kind_are_found_page_by_page(fixture: Fixture) {
        let mut jobs = Vec::new();
        for _ in 0..5 {
            let job = fixture.enqueue_draft(echo()).await.job;
            fixture.fail(job).await;
            jobs.push(job);
        }
        let other = fixture.enqueue(&FailsUntil { attempt: 1 }).await.job;
        fixture.fail(other).await;
        let (mut after, mut retried) = (None, Vec::new());
        let which = retry::Which { kind: Some("echo"), guild: Some(guild()), ..retry::Which::default() };
        let conn = fixture.context.database.read();
        assert_eq!(retry::count_failed(conn, which).await.unwrap(), 5);
        loop {
            let conn = fixture.context.database.read();
            let page = retry::find_failed(conn, which, after, 2).await.unwrap();
            let Some(last) = page.last() else { break };
            after = Some(last.job_id);
            for job in &page {
                assert!(matches!(fixture.retry(job.job_id).await, Retry::Queued(_)));
                retried.push(job.job_id);
            }
        }
        assert_eq!(retried, jobs);
        assert_eq!(fixture.row(other).await.state, State::Failed, "another kind");
        fixture.work_with(registry());
        fixture.advance(crate::fixture::NET_AFTER).await;
        for job in jobs {
            fixture.wait_for(job, State::Succeeded).await;
        }
    }
}
