//! The change of a member: what a sync gives, takes and names.

use entities::RoleId;
use serde::{Deserialize, Serialize};

use crate::chat::ChatMember;

/// The change for one member; empty if nothing differs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub add: Vec<RoleId>,
    pub remove: Vec<RoleId>,
    /// The nickname to set, if it differs; empty: none.
    pub nick: Option<String>,
}

impl Change {
    pub fn is_empty(&self) -> bool {
        !self.changes_roles() && self.nick.is_none()
    }

    pub fn changes_roles(&self) -> bool {
        !self.add.is_empty() || !self.remove.is_empty()
    }

    /// The full list to send: the current roles, without the removed and with the added ones.
    pub fn roles_after(&self, held: &[RoleId]) -> Vec<RoleId> {
        let mut roles: Vec<RoleId> =
            held.iter().copied().filter(|role| !self.remove.contains(role)).collect();
        for role in &self.add {
            if !roles.contains(role) {
                roles.push(*role);
            }
        }
        roles
    }

    /// The part still due for the member's current state: role changes by others stay, and changes of an earlier run
    /// are not repeated.
    #[must_use]
    pub fn still_due(&self, member: &ChatMember) -> Self {
        let held = |role: &&RoleId| member.roles.contains(role);
        Self {
            add: self.add.iter().filter(|role| !held(role)).copied().collect(),
            remove: self.remove.iter().filter(held).copied().collect(),
            nick: self.nick.clone().filter(|nick| member.nick.as_ref() != Some(nick)),
        }
    }

    /// More differences than two single calls can set: these members get the full list (docs/rules.md 5).
    pub fn is_several(&self) -> bool {
        self.add.len() + self.remove.len() + usize::from(self.nick.is_some()) > 2
    }

    pub fn roles(&self) -> Vec<RoleId> {
        self.add.iter().chain(&self.remove).copied().collect()
    }

    /// Drops the roles that are not among `bound`.
    #[must_use]
    pub fn only(mut self, bound: &[RoleId]) -> Self {
        self.add.retain(|role| bound.contains(role));
        self.remove.retain(|role| bound.contains(role));
        self
    }

    /// Merges a change of other roles.
    pub fn merge(&mut self, other: Self) {
        self.add.extend(other.add);
        self.remove.extend(other.remove);
        self.nick = other.nick.or(self.nick.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync_rules::tests::{member, planned, roles};

    #[test]
    fn an_old_plan_is_reduced_to_the_changes_still_due() {
        let planned = planned(&[102, 103], &[101, 104], Some("builder"));
        // Since the plan: 102 was added, 101 was removed, a moderator gave 900.
        let due = planned.still_due(&member(&[102, 104, 900], Some("builder")));
        assert_eq!(due, Change { add: roles(&[103]), remove: roles(&[104]), nick: None });
        assert_eq!(due.roles_after(&roles(&[102, 104, 900])), roles(&[102, 900, 103]));
        assert!(planned.still_due(&member(&[900, 102, 103], Some("builder"))).is_empty());
    }

    #[test]
    fn two_differences_use_single_calls_and_more_use_the_full_list() {
        for few in [planned(&[1], &[], Some("n")), planned(&[1], &[2], None), planned(&[1, 2], &[], None)] {
            assert!(!few.is_several(), "{few:?}");
        }
        for several in [planned(&[1], &[2], Some("n")), planned(&[1, 2], &[3], None)] {
            assert!(several.is_several(), "{several:?}");
        }
    }

    #[test]
    fn roles_with_deleted_bindings_are_not_changed() {
        let change = planned(&[1, 2], &[3, 4], None);
        assert_eq!(change.only(&roles(&[2, 3])), planned(&[2], &[3], None));
    }
}
