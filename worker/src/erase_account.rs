//! `erase_account`: the game platform asks that what is known of a user goes (docs/operations.md). The game platform names the user
//! again if the job was lost; a run that was stopped is repeated as a whole.

use entities::Subject;
use jobs::erasure::erase;
use jobs::kinds::EraseAccount;
use queue::run::{Handler, JobContext, JobError, Outcome};
use serde_json::json;

pub(crate) struct Job;

impl Handler for Job {
    type Payload = EraseAccount;

    async fn run(&self, job: &JobContext, EraseAccount { play }: EraseAccount) -> Result<Outcome, JobError> {
        erase(job, Subject::Play(play), job.actor().into()).await?;
        Ok(Outcome::done(json!({})))
    }
}
