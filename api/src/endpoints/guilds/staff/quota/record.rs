//! A quota as the API shows it, and the rules for one (docs/rules.md 6).

use entities::quota::{Metric, Model, Period};
use entities::{GuildId, QuotaId, staff_role};

use crate::endpoints::guilds::staff::quota::role_scope::RoleScope;
use crate::endpoints::prelude::*;
use crate::request::values::Whole;

pub(crate) type QuotaTarget = Whole<1, 1_000_000_000>;

answer! {
    pub(crate) struct Quota from row: Model {
        id: QuotaId = row.quota_id,
        #[schema(example = "Monthly bans")]
        name: String,
        metric: Metric,
        #[schema(minimum = 1, maximum = 1_000_000_000, example = 20)]
        target: i64,
        period: Period,
        /// `role:<role_name>`; null: all staff.
        #[schema(required, pattern = r"^role:[\s\S]*\S", example = "role:Moderator")]
        scope: Option<String> = row.scope_role.as_deref().map(RoleScope::written),
        /// Whether such actions need approval before they count.
        requires_approval: bool,
    }
}

/// Only actions can need approval.
pub(crate) fn check_approval(metric: Metric, requires_approval: bool) -> Result<(), ApiError> {
    if !requires_approval || metric.action_type().is_some() {
        return Ok(());
    }
    let message =
        "`requires_approval` goes with an action type as `metric`: minutes and sessions are not approved";
    Err(ApiError::rule("nothing_to_approve", message))
}

/// The role that a quota is for exists, and stays until the commit.
pub(crate) async fn check_scope(
    work: &UnitOfWork<'_>,
    guild: GuildId,
    scope_role: Option<&str>,
) -> Result<(), ApiError> {
    let Some(role) = scope_role else { return Ok(()) };
    if staff_role::is_named(work.tx(), guild, role).await? {
        return Ok(());
    }
    let message =
        format!("`scope` must be `role:` and the name of a staff role; the guild has no role {role:?}");
    Err(ApiError::rule("unknown_role", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_actions_are_approved() {
        assert!(check_approval(Metric::Ban, true).is_ok());
        assert!(check_approval(Metric::Minutes, false).is_ok());
        assert!(check_approval(Metric::Minutes, true).is_err());
        assert!(check_approval(Metric::Sessions, true).is_err());
    }
}
