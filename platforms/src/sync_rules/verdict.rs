//! Whether a binding is for a user, and why not.

use std::fmt;

use entities::PlayId;
use entities::binding::Condition;
use serde::Serialize;
use strum::IntoStaticStr;

use crate::play::{GroupRole, Memberships};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    Matches,
    /// Only users without a link match.
    Linked,
    NotLinked,
    NotInGroup,
    OtherRank,
    OtherRole,
}

impl Verdict {
    pub fn matches(self) -> bool {
        self == Self::Matches
    }

    /// A stable word for programs.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Matches => "matches",
            Self::Linked => "the user has a link",
            Self::NotLinked => "the user has no link",
            Self::NotInGroup => "the user is not in the group",
            Self::OtherRank => "the user has another rank in the group",
            Self::OtherRole => "the user has other roles in the group",
        })
    }
}

/// `player`: the game account that the user is linked to.
pub fn judge(condition: Condition, player: Option<PlayId>, memberships: &Memberships) -> Verdict {
    let Some(player) = player else {
        return if condition == Condition::Unverified { Verdict::Matches } else { Verdict::NotLinked };
    };
    let held = held(condition, player, memberships);
    let not_matched = match condition {
        Condition::Verified => return Verdict::Matches,
        Condition::Unverified => return Verdict::Linked,
        Condition::GroupRank { rank: 0, .. } if held.is_empty() => return Verdict::Matches,
        Condition::GroupRank { rank: 0, .. } => Verdict::OtherRank,
        _ if held.is_empty() => Verdict::NotInGroup,
        Condition::GroupRole { .. } => Verdict::OtherRole,
        _ => Verdict::OtherRank,
    };
    if deciding(condition, held).is_some() { Verdict::Matches } else { not_matched }
}

/// The roles of the player in the condition's group, by ascending rank. A guest, who has rank 0, is not in the group.
pub(super) fn held(condition: Condition, player: PlayId, memberships: &Memberships) -> &[GroupRole] {
    let roles = condition.group().and_then(|group| memberships.get(&(player, group)));
    let roles = roles.map(Vec::as_slice).unwrap_or_default();
    &roles[roles.partition_point(|role| role.rank == 0)..]
}

/// The highest of the held roles that matches.
pub(super) fn deciding(condition: Condition, held: &[GroupRole]) -> Option<&GroupRole> {
    held.iter().rev().find(|role| {
        let held = i32::from(role.rank);
        match condition {
            Condition::GroupRank { rank, .. } => held == rank,
            Condition::GroupRankRange { min, max, .. } => (min..=max).contains(&held),
            Condition::GroupMember { .. } => true,
            Condition::GroupRole { role: wanted, .. } => role.id == wanted,
            Condition::Verified | Condition::Unverified => false,
        }
    })
}
