//! `remove_role`: takes one role from one member, on request. Removing a role that is not held succeeds.

use platforms::CallContext;
use queue::kinds::RemoveRole;
use queue::run::{Handler, JobContext, JobError, Outcome};

use crate::manual_role::{REASON, Target, Verb, check, outcome};
use crate::services::Services;

pub(crate) struct Job(pub(crate) Services);

const REMOVE: Verb = Verb { action: "roles.remove", done: "removed" };

impl Handler for Job {
    type Payload = RemoveRole;

    async fn run(&self, job: &JobContext, args: RemoveRole) -> Result<Outcome, JobError> {
        let RemoveRole { guild, user, role } = args;
        let target = Target { guild, user, role };
        let name = check(&self.0, target).await?;
        job.before_effect().await?;
        let call = CallContext::interactive(guild);
        let answer = self.0.platforms.chat.remove_role(call, user, role, REASON).await;
        outcome(target, &REMOVE, &name, answer)
    }
}
