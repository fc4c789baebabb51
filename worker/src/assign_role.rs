//! `assign_role`: gives one role to one member, on request. Giving a role that is already held succeeds.

use platforms::CallContext;
use queue::kinds::AssignRole;
use queue::run::{Handler, JobContext, JobError, Outcome};

use crate::manual_role::{REASON, Target, Verb, check, outcome};
use crate::services::Services;

pub(crate) struct Job(pub(crate) Services);

const ASSIGN: Verb = Verb { action: "roles.assign", done: "assigned" };

impl Handler for Job {
    type Payload = AssignRole;

    async fn run(&self, job: &JobContext, args: AssignRole) -> Result<Outcome, JobError> {
        let AssignRole { guild, user, role } = args;
        let target = Target { guild, user, role };
        let name = check(&self.0, target).await?;
        job.before_effect().await?;
        let call = CallContext::interactive(guild);
        let answer = self.0.platforms.chat.add_role(call, user, role, REASON).await;
        outcome(target, &ASSIGN, &name, answer)
    }
}
