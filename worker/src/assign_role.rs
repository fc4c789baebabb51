//! `assign_role`: gives one role to one member, on request. Giving a role that is already held succeeds.

use jobs::kinds::AssignRole;
use platforms::Platforms;
use queue::run::{Handler, JobContext, JobError, Outcome};

use crate::manual_role::{Target, Verb, change};

pub(crate) struct Job(pub(crate) Platforms);

impl Handler for Job {
    type Payload = AssignRole;

    async fn run(&self, job: &JobContext, args: AssignRole) -> Result<Outcome, JobError> {
        let AssignRole { guild, user, role, by } = args;
        change(&self.0, job, Target { guild, user, role, by }, Verb::Assign).await
    }
}
