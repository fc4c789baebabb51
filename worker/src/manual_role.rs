//! Shared by `assign_role` and `remove_role` (docs/rules.md 5): the checks before the call and the messages after it.

use entities::audit_entry::NewEntry;
use entities::{ChatId, GuildId, RoleId};
use platforms::{CallContext, Missing, PlatformError, RoleProblem};
use queue::run::{JobContext, JobError, Outcome, failure};
use serde_json::json;

use crate::errors::{job_error, not_a_member};
use crate::services::Services;

/// The reason in the guild's audit log on the chat platform.
const REASON: &str = "asked for through the API";

/// One role for one member.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) guild: GuildId,
    pub(crate) user: ChatId,
    pub(crate) role: RoleId,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Verb {
    Assign,
    Remove,
}

/// Checks the platform's rules for whether the bot may change the role. Returns the role's name.
async fn check(services: &Services, target: Target) -> Result<String, JobError> {
    let call = CallContext::interactive(target.guild);
    let overview = services.platforms.chat.guild_overview(call).await.map_err(job_error)?;
    match overview.grantable(target.role) {
        Ok(()) => Ok(overview.role(target.role).map(|role| role.name.clone()).unwrap_or_default()),
        Err(problem @ RoleProblem::Unknown) => {
            Err(JobError::Fail(failure(404, "unknown_role", problem.to_string())))
        }
        Err(problem) => Err(JobError::Fail(failure(422, "role_not_grantable", problem.to_string()))),
    }
}

/// Checks and makes the change.
pub(crate) async fn change(
    services: &Services,
    job: &JobContext,
    target: Target,
    verb: Verb,
) -> Result<Outcome, JobError> {
    let name = check(services, target).await?;
    job.before_effect().await?;
    let Target { guild, user, role } = target;
    let (chat, call) = (&services.platforms.chat, CallContext::interactive(guild));
    let (answer, action, done) = match verb {
        Verb::Assign => (chat.add_role(call, user, role, REASON).await, "roles.assign", "assigned"),
        Verb::Remove => (chat.remove_role(call, user, role, REASON).await, "roles.remove", "removed"),
    };
    answer.map_err(|error| match error {
        // A user that does not exist is not a member: the contract defines one answer for both.
        PlatformError::NotFound(Missing::User) => not_a_member(),
        error => job_error(error),
    })?;
    let metadata = json!({ "role_id": role, "role_name": name });
    let audit = vec![NewEntry { guild, action, target: user.to_string(), metadata }];
    Ok(Outcome::Done { result: json!({ "message": format!("role {name} {done}") }), audit })
}
