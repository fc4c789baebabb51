//! The part of a change that the bot may make. The platform refuses a whole update for one role out of the bot's
//! reach, so such roles are removed first and reported by name (docs/rules.md 5).

use entities::RoleId;
use platforms::{GuildOverview, PlatformError, RoleProblem};
use serde::Serialize;

use crate::wanted::Change;

/// A role that cannot be given or removed, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct FailedRole {
    pub(crate) role_id: RoleId,
    /// A stable, machine-readable code.
    pub(crate) error: &'static str,
    pub(crate) reason: String,
}

/// A change, split into its permitted and its refused part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Permitted {
    pub(crate) change: Change,
    pub(crate) failed_roles: Vec<FailedRole>,
    /// Why a due nickname change is not made.
    pub(crate) nickname_refused: Option<&'static str>,
}

const STANDS_ABOVE: &str =
    "the member stands at or above the bot's highest role, so the bot cannot rename them";

/// `held`: the member's current roles.
pub(crate) fn permitted(overview: &GuildOverview, held: &[RoleId], change: Change) -> Permitted {
    let mut failed_roles = Vec::new();
    let mut may = |role: &RoleId| match overview.grantable(*role) {
        Ok(()) => true,
        Err(problem) => {
            let (error, reason) = (word(problem), problem.to_string());
            failed_roles.push(FailedRole { role_id: *role, error, reason });
            false
        }
    };
    let mut change = change;
    change.add.retain(&mut may);
    change.remove.retain(&mut may);
    let positions = held.iter().filter_map(|role| overview.role(*role)).map(|role| role.position);
    let above = positions.max().is_some_and(|highest| highest >= overview.bot_position);
    let nickname_refused = change.nick.take_if(|_| above).map(|_| STANDS_ABOVE);
    Permitted { change, failed_roles, nickname_refused }
}

impl FailedRole {
    /// Refused by the platform itself.
    pub(crate) fn refused(role_id: RoleId, error: &PlatformError, reason: String) -> Self {
        let error = match error {
            PlatformError::NotFound(_) => word(RoleProblem::Unknown),
            PlatformError::Invalid { .. } => "platform_invalid",
            _ => "platform_refused",
        };
        Self { role_id, error, reason }
    }
}

fn word(problem: RoleProblem) -> &'static str {
    match problem {
        RoleProblem::Unknown => "unknown_role",
        RoleProblem::Managed => "role_managed",
        RoleProblem::AboveBot => "role_above_bot",
        RoleProblem::Everyone => "role_everyone",
    }
}

#[cfg(test)]
mod tests {
    use entities::GuildId;
    use platforms::{ChatRole, Permissions};

    use super::*;
    use crate::testing::{role, roles};

    fn overview() -> GuildOverview {
        let make = |id, position, managed| ChatRole {
            id: role(id),
            name: String::new(),
            color: 0,
            position,
            managed,
            permissions: Permissions::default(),
        };
        GuildOverview {
            guild: GuildId::try_from(1).unwrap(),
            roles: vec![make(1, 0, false), make(101, 1, false), make(102, 2, true), make(103, 20, false)],
            bot_position: 10,
            bot_permissions: Permissions::default(),
        }
    }

    fn change(add: &[i64], remove: &[i64]) -> Change {
        crate::testing::change(add, remove, Some("builder"))
    }

    #[test]
    fn roles_out_of_reach_are_named_and_the_rest_is_permitted() {
        let outcome = permitted(&overview(), &[], change(&[101, 103, 999, 1], &[102]));
        assert_eq!(outcome.change, change(&[101], &[]));
        let words: Vec<_> =
            outcome.failed_roles.iter().map(|failed| (failed.role_id.get(), failed.error)).collect();
        assert_eq!(
            words,
            [(103, "role_above_bot"), (999, "unknown_role"), (1, "role_everyone"), (102, "role_managed")]
        );
        assert!(outcome.failed_roles.iter().all(|failed| !failed.reason.is_empty()));
        assert_eq!(outcome.nickname_refused, None);
    }

    #[test]
    fn members_above_the_bot_keep_the_nickname_but_get_roles() {
        let outcome = permitted(&overview(), &roles(&[103]), change(&[101], &[]));
        assert_eq!(outcome.change, Change { nick: None, ..change(&[101], &[]) });
        assert!(outcome.nickname_refused.is_some());
        let nothing_to_rename = Change { nick: None, ..change(&[101], &[]) };
        assert_eq!(permitted(&overview(), &roles(&[103]), nothing_to_rename).nickname_refused, None);
    }
}
