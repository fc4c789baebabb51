//! Shared by `assign_role` and `remove_role` (docs/rules.md 5): the checks before the call and the messages after it.

use entities::audit_entry::NewEntry;
use entities::{ChatId, GuildId, RoleId};
use platforms::{CallContext, Missing, PlatformError, RoleProblem};
use queue::run::{JobError, Outcome, failure};
use serde_json::json;

use crate::errors::{job_error, not_a_member};
use crate::services::Services;

/// The reason in the guild's audit log on the chat platform.
pub(crate) const REASON: &str = "asked for through the API";

/// One role for one member.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) guild: GuildId,
    pub(crate) user: ChatId,
    pub(crate) role: RoleId,
}

/// The action, as named in the answer and the audit log.
pub(crate) struct Verb {
    pub(crate) action: &'static str,
    pub(crate) done: &'static str,
}

/// Checks the platform's rules for whether the bot may change the role. Returns the role's name.
pub(crate) async fn check(services: &Services, target: Target) -> Result<String, JobError> {
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

pub(crate) fn outcome(
    target: Target,
    verb: &Verb,
    name: &str,
    answer: Result<(), PlatformError>,
) -> Result<Outcome, JobError> {
    answer.map_err(|error| match error {
        // A user that does not exist is not a member: the contract defines one answer for both.
        PlatformError::NotFound(Missing::User) => not_a_member(),
        error => job_error(error),
    })?;
    let audit = NewEntry {
        guild: target.guild,
        action: verb.action,
        target: target.user.to_string(),
        metadata: json!({ "role_id": target.role, "role_name": name }),
    };
    let result = json!({ "message": format!("role {name} {}", verb.done) });
    Ok(Outcome::Done { result, audit: vec![audit] })
}
