//! The part of a change that the bot may make. The platform refuses a whole update for one role out of the bot's
//! reach, so such roles are removed first and reported by name (docs/rules.md 5).

use entities::guild::grants::Grants;
use entities::job_failure::NewFailure;
use entities::{ChatId, RoleId};
use platforms::{Change, GuildOverview, PlatformError, RoleProblem};
use serde::Serialize;

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

impl Permitted {
    /// Nothing is refused.
    pub(crate) fn is_whole(&self) -> bool {
        self.failed_roles.is_empty() && self.nickname_refused.is_none()
    }
}

const STANDS_ABOVE: &str =
    "the member stands at or above the bot's highest role, so the bot cannot rename them";

/// `held`: the member's current roles.
pub(crate) fn permitted(
    overview: &GuildOverview,
    grants: &Grants,
    held: &[RoleId],
    change: Change,
) -> Permitted {
    let mut failed_roles = Vec::new();
    let mut may = |role: &RoleId, outcome: Result<(), RoleProblem>| {
        let failed = outcome.err().map(|problem| FailedRole::of(*role, problem));
        let permitted = failed.is_none();
        failed_roles.extend(failed);
        permitted
    };
    let mut change = change;
    change.add.retain(|role| may(role, overview.grantable(*role, grants)));
    change.remove.retain(|role| may(role, overview.removable(*role).map(drop)));
    let positions = held.iter().filter_map(|role| overview.role(*role)).map(|role| role.position);
    let above = positions.max().is_some_and(|highest| highest >= overview.bot_position);
    let nickname_refused = change.nick.take_if(|_| above).map(|_| STANDS_ABOVE);
    Permitted { change, failed_roles, nickname_refused }
}

impl FailedRole {
    pub(crate) fn of(role_id: RoleId, problem: RoleProblem) -> Self {
        Self { role_id, error: problem.word(), reason: problem.to_string() }
    }

    /// Refused by the platform itself.
    pub(crate) fn refused(role_id: RoleId, error: &PlatformError, reason: String) -> Self {
        let error = match error {
            PlatformError::NotFound(_) => RoleProblem::Unknown.word(),
            PlatformError::Invalid { .. } => "platform_invalid",
            _ => "platform_refused",
        };
        Self { role_id, error, reason }
    }
}

/// The refused part of a member's change, as a failure of a bulk sync.
pub(crate) fn refusal(
    chat: ChatId,
    roles: &[FailedRole],
    nickname: Option<&'static str>,
) -> Option<NewFailure> {
    let error = match (roles.is_empty(), nickname) {
        (true, None) => return None,
        (true, Some(_)) => "nickname_refused",
        (false, _) => "role_not_grantable",
    };
    let roles = roles.iter().map(|role| format!("role {}: {}", role.role_id, role.reason));
    let message: Vec<String> = roles.chain(nickname.map(str::to_owned)).collect();
    Some(NewFailure { chat, error, message: message.join("; ") })
}

#[cfg(test)]
mod tests {
    use entities::GuildId;
    use platforms::{ChatRole, Permissions};

    use super::*;
    use crate::testing::{chat, role, roles};

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
            roles: vec![
                make(1, 0, false),
                make(101, 1, false),
                make(102, 2, true),
                make(103, 20, false),
                make(104, 10, false),
            ],
            bot_position: 10,
            bot_permissions: Permissions::default(),
        }
    }

    fn change(add: &[i64], remove: &[i64]) -> Change {
        crate::testing::change(add, remove, Some("builder"))
    }

    #[test]
    fn roles_out_of_reach_are_named_and_the_rest_is_permitted() {
        let outcome = permitted(&overview(), &Grants::default(), &[], change(&[101, 103, 999, 1], &[102]));
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
    fn privileged_roles_are_added_only_if_the_guild_allows_them_and_always_removed() {
        let mut overview = overview();
        overview.roles[1].permissions = Permissions::from_bits(1 << 28);
        let refused = permitted(&overview, &roles(&[103]).into(), &[], change(&[101], &[]));
        assert_eq!(refused.change.add, []);
        let [failed] = refused.failed_roles.as_slice() else { panic!("{refused:?}") };
        assert_eq!((failed.role_id, failed.error), (role(101), "role_privileged"));
        assert!(failed.reason.contains("Manage Roles") && failed.reason.contains("allowed_privileged_roles"));
        let allowed = permitted(&overview, &roles(&[101]).into(), &[], change(&[101], &[]));
        assert_eq!((allowed.change.add, allowed.failed_roles), (roles(&[101]), vec![]));
        let removed = permitted(&overview, &Grants::default(), &[], change(&[], &[101]));
        assert_eq!((removed.change.remove, removed.failed_roles), (roles(&[101]), vec![]));
    }

    #[test]
    fn members_above_the_bot_keep_the_nickname_but_get_roles() {
        let outcome = permitted(&overview(), &Grants::default(), &roles(&[103]), change(&[101], &[]));
        assert_eq!(outcome.change, Change { nick: None, ..change(&[101], &[]) });
        assert!(outcome.nickname_refused.is_some());
        let nothing_to_rename = Change { nick: None, ..change(&[101], &[]) };
        assert_eq!(
            permitted(&overview(), &Grants::default(), &roles(&[103]), nothing_to_rename).nickname_refused,
            None
        );
    }

    #[test]
    fn the_bots_own_position_is_out_of_its_reach() {
        let outcome = permitted(&overview(), &Grants::default(), &roles(&[104]), change(&[104], &[]));
        assert_eq!(outcome.change, Change::default());
        assert_eq!(outcome.failed_roles.len(), 1);
        assert!(outcome.nickname_refused.is_some());
    }

    #[test]
    fn refused_changes_of_a_member_are_one_line() {
        assert_eq!(refusal(chat(1), &[], None), None);
        let nickname = refusal(chat(1), &[], Some("stands above")).unwrap();
        assert_eq!((nickname.error, nickname.message.as_str()), ("nickname_refused", "stands above"));
        let failed = FailedRole { role_id: role(9), error: "role_above_bot", reason: "too high".to_owned() };
        let both = refusal(chat(1), &[failed], Some("stands above")).unwrap();
        assert_eq!(
            (both.error, both.message.as_str()),
            ("role_not_grantable", "role 9: too high; stands above")
        );
    }
}
