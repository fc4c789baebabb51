//! The ranks of a group's roles: cached for minutes, fetched by one caller at a time.

use std::sync::Arc;

use entities::GroupId;

use super::Roblox;
use super::types::{RoleRanks, RolesBody};
use crate::context::CallContext;
use crate::error::{Missing, PlatformError};
use crate::play::GroupRole;
use crate::routes::play as routes;

/// Maximum roles per page.
const ROLES_PER_PAGE: u32 = 20;
/// A group has far fewer roles: more pages than this is a loop.
const MAX_ROLE_PAGES: usize = 100;

impl Roblox {
    pub(super) async fn role_ranks(
        &self,
        context: CallContext,
        group: GroupId,
    ) -> Result<RoleRanks, PlatformError> {
        let fetch = async {
            let roles = self.fetch_roles(context, group).await?;
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
    ) -> Result<Vec<i16>, PlatformError> {
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

    pub(super) async fn fetch_roles(
        &self,
        context: CallContext,
        group: GroupId,
    ) -> Result<Vec<GroupRole>, PlatformError> {
        let mut roles = Vec::new();
        let mut token: Option<String> = None;
        for _ in 0..MAX_ROLE_PAGES {
            let mut call = self
                .cloud(routes::GROUP_ROLES, &format!("/cloud/v2/groups/{group}/roles"))?
                .query("maxPageSize", ROLES_PER_PAGE.to_string());
            if let Some(token) = &token {
                call = call.query("pageToken", token);
            }
            let page: RolesBody = self.wire.json(context, &call).await.map_err(group_missing)?;
            roles.extend(page.group_roles.into_iter().filter_map(super::types::RoleBody::role));
            token = page.next_page_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(roles);
            }
        }
        Err(PlatformError::unavailable(routes::GROUP_ROLES, "the pages do not end"))
    }
}

fn group_missing(error: PlatformError) -> PlatformError {
    match error {
        PlatformError::NotFound(_) => PlatformError::NotFound(Missing::Group),
        other => other,
    }
}
