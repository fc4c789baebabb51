//! `remove_role`: takes one role from one member, on request. Removing a role that is not held succeeds.

use jobs::kinds::RemoveRole;
use platforms::Platforms;
use queue::run::{Handler, JobContext, JobError, Outcome};

use crate::manual_role::{Target, Verb, change};

pub(crate) struct Job(pub(crate) Platforms);

impl Handler for Job {
    type Payload = RemoveRole;

    async fn run(&self, job: &JobContext, args: RemoveRole) -> Result<Outcome, JobError> {
        let RemoveRole { guild, user, role, by } = args;
        change(&self.0, job, Target { guild, user, role, by }, Verb::Remove).await
    }
}
