//! The intended change of a sync, stored in the job's row before the platform call.
//!
//! If a run is cut right after the platform call, the next run finds no difference. From this record
//! it reports the changes of both runs to the caller and the audit log.

use entities::RoleId;
use platforms::{Change, ChatMember};
use serde::{Deserialize, Serialize};

/// The member before the job's first change, and all changes by the job's end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Intent {
    pub(super) roles: Vec<RoleId>,
    pub(super) nickname: Option<String>,
    pub(super) change: Change,
}

impl Intent {
    /// `due`: the change for the member's current state, in addition to those of an earlier run.
    pub(super) fn new(earlier: Option<Self>, member: &ChatMember, due: &Change) -> Self {
        let Some(earlier) = earlier else {
            return Self { roles: member.roles.clone(), nickname: member.nick.clone(), change: due.clone() };
        };
        let after = due.roles_after(&member.roles);
        let ours = |role: &&RoleId| {
            let lists = [&earlier.change.add, &earlier.change.remove, &due.add, &due.remove];
            lists.iter().any(|list| list.contains(role))
        };
        let only_in = |list: &[RoleId], other: &[RoleId]| -> Vec<RoleId> {
            list.iter().filter(ours).filter(|role| !other.contains(role)).copied().collect()
        };
        let set_before = earlier.change.nick.clone().filter(|nick| member.nick.as_ref() == Some(nick));
        let change = Change {
            add: only_in(&after, &earlier.roles),
            remove: only_in(&earlier.roles, &after),
            nick: due.nick.clone().or(set_before),
        };
        Self { change, ..earlier }
    }

    /// Removes the changes of this run that did not happen: refused, or made by others.
    pub(super) fn forget(&mut self, due: &Change, done: &Change) {
        let kept =
            |role: &RoleId, due: &[RoleId], done: &[RoleId]| !due.contains(role) || done.contains(role);
        self.change.add.retain(|role| kept(role, &due.add, &done.add));
        self.change.remove.retain(|role| kept(role, &due.remove, &done.remove));
        if due.nick.is_some() && done.nick.is_none() {
            self.change.nick = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{change, member, roles};

    fn first() -> Intent {
        Intent::new(None, &member(&[1, 2], Some("old")), &change(&[3, 4], &[1], Some("new")))
    }

    #[test]
    fn changes_of_an_earlier_run_are_reported_by_the_next() {
        let next = Intent::new(Some(first()), &member(&[2, 3, 4], Some("new")), &Change::default());
        assert_eq!(next, first());
    }

    #[test]
    fn changes_that_did_not_happen_are_not_reported() {
        let next = Intent::new(Some(first()), &member(&[1, 2], Some("old")), &Change::default());
        assert_eq!(next.change, Change::default());
    }

    #[test]
    fn newly_due_changes_are_added_and_may_undo_earlier_ones() {
        let now = member(&[2, 3, 4], Some("new"));
        let next = Intent::new(Some(first()), &now, &change(&[5], &[4], Some("newer")));
        assert_eq!(next.change, change(&[3, 5], &[1], Some("newer")));
        assert_eq!((next.roles, next.nickname), (roles(&[1, 2]), Some("old".to_owned())));
    }

    #[test]
    fn refused_changes_are_not_reported() {
        let mut intent = first();
        intent.forget(&intent.change.clone(), &change(&[3], &[], None));
        assert_eq!(intent.change, change(&[3], &[], None));
    }

    #[test]
    fn roles_given_by_others_meanwhile_are_not_reported() {
        let next = Intent::new(Some(first()), &member(&[2, 3, 4, 9], None), &Change::default());
        assert_eq!(next.change, change(&[3, 4], &[1], None));
    }
}
