//! The lines of a job carry its ids, and the id of the request that caused it.

use entities::audit_entry::Actor;
use entities::job::{Class, State};
use queue::run::{Handler, JobContext, JobError, Outcome, Registry, failure};
use queue::{Draft, Payload};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::fixture::{GUILD, both_modes, guild};

#[derive(Debug, Serialize, Deserialize)]
struct Logs {
    /// Of its failure.
    status: u16,
}

impl Payload for Logs {
    const KIND: &'static str = "logs";
    const CLASS: Class = Class::Default;
}

struct LogsHandler;

impl Handler for LogsHandler {
    type Payload = Logs;

    async fn run(&self, job: &JobContext, Logs { status }: Logs) -> Result<Outcome, JobError> {
        tracing::info!("a line of a handler");
        job.before_effect().await?;
        Err(JobError::Fail(failure(status, "not_there", "there is no such member")))
    }
}

both_modes! {
    async fn each_line_of_a_job_carries_its_ids_and_its_requests_once(fixture: Fixture) {
        let logs = testkit::logs();
        fixture.work_with(Registry::default().with(LogsHandler));
        let request = format!("request-{}", uuid::Uuid::now_v7().simple());
        let actor = Actor { request_id: Some(request.clone()), ..Actor::service() };
        let enqueued = fixture.enqueue_draft(Draft::new(guild(), &Logs { status: 404 }, actor).unwrap()).await;
        let job = enqueued.job;
        fixture.queue.publish(enqueued.message);
        fixture.wait_for(job, State::Failed).await;
        testkit::until(|| logs.with(&request).iter().any(|line| line.contains("job run ended"))).await;
        let lines = logs.with(&request);
        for message in ["a line of a handler", "a job failed", "job run ended"] {
            let line = lines.iter().find(|line| line.contains(message)).unwrap_or_else(|| panic!("{lines:?}"));
            for field in ["request.id", "guild.id", "job.id", "job.kind", "job.attempt"] {
                assert_eq!(line.matches(&format!("\"{field}\":")).count(), 1, "{field}: {line}");
            }
            let line: Value = serde_json::from_str(line).unwrap();
            assert_eq!((&line["request.id"], &line["job.id"]), (&json!(request), &json!(job.to_string())));
            assert_eq!((&line["job.kind"], &line["job.attempt"]), (&json!("logs"), &json!(1)));
            assert_eq!(line["guild.id"].to_string(), GUILD);
        }
    }

    async fn a_failure_of_ours_is_a_warning_and_a_refused_request_is_not(fixture: Fixture) {
        let logs = testkit::logs();
        fixture.work_with(Registry::default().with(LogsHandler));
        for (status, level) in [(404, "INFO"), (499, "INFO"), (500, "WARN"), (503, "WARN")] {
            let enqueued = fixture.enqueue(&Logs { status }).await;
            let job = enqueued.job.to_string();
            fixture.queue.publish(enqueued.message);
            fixture.wait_for(enqueued.job, State::Failed).await;
            let failed = || logs.with(&job).into_iter().find(|line| line.contains("a job failed"));
            testkit::until(|| failed().is_some()).await;
            let line: Value = serde_json::from_str(&failed().unwrap()).unwrap();
            assert_eq!(line["level"], level, "{line}");
        }
    }
}
