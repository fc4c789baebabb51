//! `periodic_task`: runs one schedule.

use jobs::kinds::PeriodicTask;
use jobs::schedules::Schedule;
use queue::run::{Handler, JobContext, JobError, Outcome, failure};
use runtime::Context;
use serde_json::json;

use crate::tasks::run_batch;

pub(crate) struct Job(pub(crate) Context);

impl Handler for Job {
    type Payload = PeriodicTask;

    async fn run(&self, job: &JobContext, task: PeriodicTask) -> Result<Outcome, JobError> {
        let Some(schedule) = Schedule::find(&task.schedule) else {
            let message = format!("this version has no schedule {}", task.schedule);
            return Err(JobError::Fail(failure(500, "unknown_schedule", message)));
        };
        let mut rows = 0;
        loop {
            job.before_effect().await?;
            match run_batch(schedule.task, &self.0).await? {
                0 => break,
                moved => rows += moved,
            }
            if job.should_yield() {
                return Ok(Outcome::Yield);
            }
        }
        if rows > 0 {
            tracing::debug!(schedule = schedule.name, rows, "periodic task ended");
        }
        Ok(Outcome::done(json!({ "rows": rows })))
    }
}
