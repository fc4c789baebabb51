//! What may happen by itself.

use serde::{Deserialize, Serialize};

use crate::member_change::MemberChange;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    Joined,
    Left,
    Promoted,
    Demoted,
    JoinedGroup,
    LeftGroup,
    Renamed,
    DisplayRenamed,
    /// A role without a binding, by another bot or a moderator.
    RoleGiven,
    RoleTaken,
    /// A role with a binding, by hand.
    ManagedRoleChanged,
    NicknameChanged,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LifeChange {
    pub(crate) kind: Kind,
    pub(crate) change: MemberChange,
}
