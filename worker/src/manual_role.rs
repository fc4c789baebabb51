//! Shared by `assign_role` and `remove_role` (docs/rules.md 5): the checks before the call and the messages after it.

use entities::audit_entry::NewEntry;
use entities::guild::grants::Grants;
use entities::{ChatId, GuildId, RoleId, link};
use platforms::{CallContext, Missing, PlatformError, Platforms, RoleProblem};
use queue::run::{JobContext, JobError, Outcome, failure};
use serde_json::json;

use crate::errors::{job_error, not_a_member};
use crate::wanted;

/// The reason in the guild's audit log on the chat platform.
const REASON: &str = "asked for through the API";

/// One role for one member.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) guild: GuildId,
    pub(crate) user: ChatId,
    pub(crate) role: RoleId,
    /// The person who gives or takes it; `None`: a key.
    pub(crate) by: Option<ChatId>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Verb {
    Assign,
    Remove,
}

/// Checks whether the role may be changed (docs/rules.md 5). Returns its name.
async fn check(
    platforms: &Platforms,
    job: &JobContext,
    target: Target,
    verb: Verb,
) -> Result<String, JobError> {
    let Target { guild, role, by, .. } = target;
    let (chat, call) = (&platforms.chat, CallContext::interactive(guild));
    let overview = chat.guild_overview(call).await.map_err(job_error)?;
    let name = overview.role(role).map(|role| role.name.clone()).unwrap_or_default();
    let outcome = match verb {
        Verb::Assign => overview.grantable(role, &Grants::read(job.database().read(), guild).await?),
        Verb::Remove => overview.removable(role).map(drop),
    };
    let outcome = match (outcome, by) {
        (Ok(()), Some(by)) => {
            let access = chat.guild_access(call, by).await.map_err(job_error)?;
            access.map_or(Err(RoleProblem::AboveGiver), |access| access.outranks(role))
        }
        (outcome, _) => outcome,
    };
    match outcome {
        Ok(()) => Ok(name),
        Err(problem @ RoleProblem::Unknown) => {
            Err(JobError::Fail(failure(404, problem.word(), problem.to_string())))
        }
        Err(problem) => {
            let message = format!("{name} ({role}): {problem}");
            Err(JobError::Fail(failure(422, "role_not_grantable", message)))
        }
    }
}

/// Checks and makes the change.
pub(crate) async fn change(
    platforms: &Platforms,
    job: &JobContext,
    target: Target,
    verb: Verb,
) -> Result<Outcome, JobError> {
    let name = check(platforms, job, target, verb).await?;
    job.before_effect().await?;
    let Target { guild, user, role, .. } = target;
    let (chat, call) = (&platforms.chat, CallContext::interactive(guild));
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
    let undone = undone_by_sync(platforms, job, target, verb).await?;
    Ok(Outcome::Done { result: json!({ "message": format!("role {name} {done}{undone}") }), audit })
}

/// The effect of the next sync on the change, if it manages the role (docs/rules.md 5).
async fn undone_by_sync(
    platforms: &Platforms,
    job: &JobContext,
    Target { guild, user, role, .. }: Target,
    verb: Verb,
) -> Result<&'static str, JobError> {
    let read = job.database().read();
    let rules = wanted::load(read, guild).await?;
    // A sync changes linked members only.
    let Some(link) = link::find_by_chat(read, guild, user).await?.filter(|_| rules.manages(role)) else {
        return Ok("");
    };
    match verb {
        Verb::Assign if rules.unverified == Some(role) => {
            return Ok("; the next sync takes it away, because linked members do not have it");
        }
        Verb::Remove if rules.verified == Some(role) => {
            return Ok("; the next sync gives it back, because all linked members have it");
        }
        Verb::Assign if rules.sticky.contains(&role) => return Ok(""),
        _ => {}
    }
    let call = CallContext::interactive(guild);
    // The change is made: without the ranks only this hint is missing.
    let Ok(memberships) = platforms.play.memberships(call, &[link.play_id], &rules.groups()).await else {
        return Ok("; a binding names it, so the next sync sets it by the member's rank");
    };
    Ok(match (verb, rules.wants(role, link.play_id, &memberships)) {
        (Verb::Assign, false) => "; the next sync takes it away, because no binding gives it to this member",
        (Verb::Remove, true) => "; the next sync gives it back, because a binding gives it to this member",
        _ => "",
    })
}
