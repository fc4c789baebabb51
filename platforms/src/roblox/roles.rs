//! A group's name, and the ranks of its roles: these are cached for minutes, fetched by one caller at a time.

use std::sync::Arc;

use entities::GroupId;

use super::PlayPlatform;
use super::types::{GroupBody, RoleBody, RoleRanks};
use crate::context::CallContext;
use crate::error::{Missing, PlatformError, Result};
use crate::play::GroupRole;
use crate::routes::play as routes;

/// Maximum roles per page.
const ROLES_PER_PAGE: u32 = 20;
/// A group has far fewer roles: more pages than this is a loop.
const MAX_ROLE_PAGES: usize = 100;

impl PlayPlatform {
    pub(super) async fn role_ranks(&self, context: CallContext, group: GroupId) -> Result<RoleRanks> {
        let fetch = async {
            let roles = self.group_roles(context, group).await?;
            Ok(Arc::new(roles.into_iter().map(|role| (role.id, role.rank)).collect()))
        };
        self.roles.try_get_with(group, fetch).await.map_err(|error: Arc<PlatformError>| (*error).clone())
    }

    /// The ranks of roles of one group, ascending. A role absent from the cached list is new: the list is refreshed.
    pub(super) async fn ranks_of(
        &self,
        context: CallContext,
        group: GroupId,
        roles: &[i64],
    ) -> Result<Vec<i16>> {
        let mut known = self.role_ranks(context, group).await?;
        if roles.iter().any(|role| !known.contains_key(role)) {
            self.roles.invalidate(&group).await;
            known = self.role_ranks(context, group).await?;
        }
        let rank = |role| {
            let unknown =
                || PlatformError::unavailable(routes::MEMBERSHIPS, "a membership has an unknown role");
            known.get(role).copied().ok_or_else(unknown)
        };
        let mut ranks = roles.iter().map(rank).collect::<Result<Vec<i16>, _>>()?;
        ranks.sort_unstable();
        ranks.dedup();
        Ok(ranks)
    }

    /// The current name of a group.
    pub async fn group_name(&self, context: CallContext, group: GroupId) -> Result<String> {
        let request = self.cloud(routes::GROUP, &format!("/cloud/v2/groups/{group}"))?;
        let body: GroupBody = self.wire.json(context, &request).await.map_err(group_missing)?;
        Ok(body.display_name)
    }

    pub async fn group_roles(&self, context: CallContext, group: GroupId) -> Result<Vec<GroupRole>> {
        let list = self
            .cloud(routes::GROUP_ROLES, &format!("/cloud/v2/groups/{group}/roles"))?
            .query("maxPageSize", ROLES_PER_PAGE.to_string());
        let roles = self.items(context, list, MAX_ROLE_PAGES).await.map_err(group_missing)?;
        Ok(roles.into_iter().filter_map(RoleBody::role).collect())
    }
}

fn group_missing(error: PlatformError) -> PlatformError {
    match error {
        PlatformError::NotFound(_) => PlatformError::NotFound(Missing::Group),
        other => other,
    }
}
