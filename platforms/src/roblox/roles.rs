//! A group's name, and its roles: these are cached for minutes, fetched by one caller at a time.

use std::sync::Arc;

use entities::{GroupId, GroupRoleId};

use super::PlayPlatform;
use super::types::{GroupBody, RoleBody, RolesById};
use crate::context::CallContext;
use crate::error::{Missing, PlatformError, Result};
use crate::play::GroupRole;
use crate::routes::play as routes;

/// Maximum roles per page.
const ROLES_PER_PAGE: u32 = 20;
/// A group has far fewer roles: more pages than this is a loop.
const MAX_ROLE_PAGES: usize = 100;

impl PlayPlatform {
    pub(super) async fn roles_by_id(&self, context: CallContext, group: GroupId) -> Result<RolesById> {
        let fetch = async {
            let roles = self.group_roles(context, group).await?;
            Ok(Arc::new(roles.into_iter().map(|role| (role.id, role)).collect()))
        };
        self.roles.get_or_load(&group, fetch).await
    }

    /// These roles of one group. A role absent from the cached list is new: the list is refreshed.
    pub(super) async fn roles_of(
        &self,
        context: CallContext,
        group: GroupId,
        roles: &[GroupRoleId],
    ) -> Result<Vec<GroupRole>> {
        let mut known = self.roles_by_id(context, group).await?;
        if roles.iter().any(|role| !known.contains_key(role)) {
            self.roles.remove(&group);
            known = self.roles_by_id(context, group).await?;
        }
        let role = |role| {
            let unknown =
                || PlatformError::unavailable(routes::MEMBERSHIPS, "a membership has an unknown role");
            known.get(role).cloned().ok_or_else(unknown)
        };
        roles.iter().map(role).collect()
    }

    /// The current name of a group.
    pub async fn group_name(&self, context: CallContext, group: GroupId) -> Result<String> {
        let request = self.cloud(routes::GROUP, &format!("/cloud/v2/groups/{group}"))?;
        let body: GroupBody =
            self.wire.json(context, &request).await.map_err(|error| group_missing(group, error))?;
        Ok(body.display_name)
    }

    pub async fn group_roles(&self, context: CallContext, group: GroupId) -> Result<Vec<GroupRole>> {
        let list = self
            .cloud(routes::GROUP_ROLES, &format!("/cloud/v2/groups/{group}/roles"))?
            .query("maxPageSize", ROLES_PER_PAGE.to_string());
        let roles =
            self.items(context, list, MAX_ROLE_PAGES).await.map_err(|error| group_missing(group, error))?;
        Ok(roles.into_iter().filter_map(RoleBody::role).collect())
    }
}

fn group_missing(group: GroupId, error: PlatformError) -> PlatformError {
    match error {
        PlatformError::NotFound(_) => PlatformError::NotFound(Missing::Group(group)),
        other => other,
    }
}
