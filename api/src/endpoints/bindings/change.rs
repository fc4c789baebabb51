//! Shared by the endpoints that change bindings.

use entities::binding::{Kind, Rule};
use entities::{GroupId, RoleId, guild};
use platforms::{PlatformError, RoleProblem};

use crate::call::caller::Caller;
use crate::endpoints::prelude::*;
use crate::request::values::Whole;

/// Ranks of a game group; 0 means "not in the group" (docs/rules.md 5).
pub(crate) type Rank = Whole<0, 255>;

request! {
    pub(crate) struct BindingRequest {
        kind as "type": Kind,
        group_id: GroupId,
        #[example(100)]
        rank: Rank,
        role_id: RoleId,
    }
}

impl From<BindingRequest> for Rule {
    fn from(sent: BindingRequest) -> Self {
        let BindingRequest { kind, group_id, rank, role_id } = sent;
        Self { kind, group_id, rank: rank.0, role_id }
    }
}

/// A binding gives and takes its role, so a person changes only bindings of roles that they could give by hand
/// (docs/rules.md 5). A key has no position among the roles: the sync decides what the bot may give.
/// `field` names the role in a refusal.
pub(crate) async fn check_giver(call: &Call, field: &str, role: RoleId, adds: bool) -> Result<(), ApiError> {
    let Caller::Person { user, rights, .. } = &call.caller else { return Ok(()) };
    let access = match call.state.platforms.chat.guild_access(call.platform(), *user).await {
        // Without a platform positions are unknown: the link that made this person an admin decides.
        Err(PlatformError::NotConfigured(_)) if rights.administrates => return Ok(()),
        access => access?,
    };
    let outranks = access.as_ref().map_or(Err(RoleProblem::AboveGiver), |access| access.outranks(role));
    let role = access.as_ref().and_then(|access| access.role(role));
    let checked = match (outranks, role) {
        (Err(RoleProblem::Unknown), _) if !adds => Ok(()),
        (Ok(()), Some(role)) if adds && !rights.administrates => {
            role.check_privileges(&guild::allowed_privileged_roles(call.read(), call.guild()).await?)
        }
        (outranks, _) => outranks,
    };
    checked.map_err(|problem| ApiError::rule(problem.word(), format!("`{field}`: {problem}")))
}

/// A transaction in which no other request changes the guild's bindings.
pub(crate) async fn begin(call: &Call) -> Result<UnitOfWork<'_>, ApiError> {
    let work = UnitOfWork::begin(call).await?;
    guild::find_for_update(work.tx(), call.guild()).await?;
    Ok(work)
}

pub(crate) fn duplicate() -> ApiError {
    ApiError::conflict("binding_exists", "the guild has this binding already")
}
