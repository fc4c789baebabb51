//! The state of a member as far as the rules of a guild look at it. A sync notes the one in which it leaves a member
//! (`entities/src/synced_member.rs`); an event that shows another one says that somebody changed the member.

use std::collections::BTreeSet;

use entities::RoleId;
use sha2::{Digest, Sha256};

/// What the rules look at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watched {
    pub roles: BTreeSet<RoleId>,
    pub nicknames: bool,
}

impl Watched {
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty() && !self.nicknames
    }

    /// A digest of the state with these roles, in any order, and this nickname.
    pub fn state(&self, roles: &[RoleId], nick: Option<&str>) -> i64 {
        let held: BTreeSet<&RoleId> = roles.iter().filter(|role| self.roles.contains(role)).collect();
        let mut hash = Sha256::new();
        for role in held {
            hash.update(role.get().to_be_bytes());
        }
        if let Some(nick) = nick.filter(|nick| self.nicknames && !nick.is_empty()) {
            hash.update([0]);
            hash.update(nick.as_bytes());
        }
        let digest = hash.finalize();
        i64::from_be_bytes(std::array::from_fn(|at| digest[at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_watched_roles_and_nicknames_make_a_difference() {
        let role = |id: i64| RoleId::try_from(id).unwrap();
        let watched = Watched { roles: [role(1), role(2)].into(), nicknames: true };
        let state =
            |ids: &[i64], nick| watched.state(&ids.iter().map(|id| role(*id)).collect::<Vec<_>>(), nick);
        assert_eq!(state(&[2, 1, 9], None), state(&[1, 2], Some("")));
        assert_ne!(state(&[1], None), state(&[2], None));
        assert_ne!(state(&[1], None), state(&[1], Some("Ada")));
        let roles_only = Watched { nicknames: false, ..watched.clone() };
        assert_eq!(roles_only.state(&[role(1)], Some("Ada")), roles_only.state(&[role(1)], None));
    }
}
