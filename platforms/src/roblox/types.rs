//! The parts of the game platform's objects that the client reads.

use std::collections::HashMap;
use std::sync::Arc;

use entities::{GroupId, GroupRoleId, PlayId};
use serde::Deserialize;
use serde_json::Value;

use crate::play::GroupRole;

/// The roles of a group by id.
pub(super) type RolesById = Arc<HashMap<GroupRoleId, GroupRole>>;

/// A page of a list, whose name for its items depends on the list.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page<T> {
    #[serde(default = "Vec::new", alias = "groupMemberships", alias = "groupRoles")]
    pub(super) items: Vec<T>,
    #[serde(default)]
    pub(super) next_page_token: Option<String>,
}

/// `role` is the member's highest role. Members with several roles have them all in `roles`; an older response has no
/// such field, and one of another shape is ignored.
#[derive(Deserialize)]
pub(super) struct MembershipBody {
    path: String,
    user: String,
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    roles: Value,
}

impl MembershipBody {
    /// From `groups/7/memberships/...`.
    pub(super) fn group(&self) -> Option<GroupId> {
        self.path.strip_prefix("groups/")?.split('/').next()?.parse().ok()
    }

    /// From `users/156`.
    pub(super) fn user(&self) -> Option<PlayId> {
        self.user.strip_prefix("users/")?.parse().ok()
    }

    /// From `groups/7/roles/99513316`.
    pub(super) fn role_ids(&self) -> Vec<GroupRoleId> {
        let listed = self.roles.as_array().into_iter().flatten().filter_map(Value::as_str);
        let mut ids: Vec<GroupRoleId> = self
            .role
            .as_deref()
            .into_iter()
            .chain(listed)
            .filter_map(|path| path.rsplit_once("/roles/")?.1.parse().ok())
            .collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GroupBody {
    pub(super) display_name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RoleBody {
    id: String,
    #[serde(default)]
    display_name: String,
    #[serde(default)]
    rank: i16,
}

impl RoleBody {
    pub(super) fn role(self) -> Option<GroupRole> {
        Some(GroupRole { id: self.id.parse().ok()?, name: self.display_name, rank: self.rank })
    }
}

#[derive(Deserialize)]
pub(super) struct NamesBody {
    pub(super) data: Vec<NameBody>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NameBody {
    pub(super) id: PlayId,
    pub(super) name: String,
    #[serde(default)]
    pub(super) display_name: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_membership_names_group_user_and_all_its_roles() {
        let body = r#"{"path":"groups/7/memberships/MTU2","user":"users/156","role":"groups/7/roles/9",
            "roles":["groups/7/roles/9","groups/7/roles/4"],"createTime":"2023-07-05T12:34:56Z"}"#;
        let membership: MembershipBody = serde_json::from_str(body).unwrap();
        assert_eq!(membership.group().map(GroupId::get), Some(7));
        assert_eq!(membership.user().map(PlayId::get), Some(156));
        let ids = |membership: &MembershipBody| {
            membership.role_ids().into_iter().map(GroupRoleId::get).collect::<Vec<_>>()
        };
        assert_eq!(ids(&membership), [4, 9]);
        let old: MembershipBody = serde_json::from_str(
            r#"{"path":"groups/7/memberships/a","user":"users/1","role":"groups/7/roles/9"}"#,
        )
        .unwrap();
        assert_eq!(ids(&old), [9]);
    }
}
