//! The ranks of one batch of users in any groups: one call, and one more for each further page.

use entities::{GroupId, PlayId};

use super::Roblox;
use super::types::{MembershipBody, MembershipsBody};
use crate::context::CallContext;
use crate::error::PlatformError;
use crate::play::Ranks;
use crate::routes::play as routes;

/// Maximum memberships per page.
const MEMBERSHIPS_PER_PAGE: u32 = 100;
/// 50 users in 100 groups each are 50 pages: more than this is a loop.
const MAX_PAGES: usize = 200;

impl Roblox {
    pub(super) async fn batch_ranks(
        &self,
        context: CallContext,
        users: Vec<PlayId>,
        groups: &[GroupId],
    ) -> Result<Ranks, PlatformError> {
        let names: Vec<String> = users.iter().map(|user| format!("'users/{user}'")).collect();
        let filter = format!("user in [{}]", names.join(","));
        let mut ranks = Ranks::new();
        let mut token: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let mut call = self
                .cloud(routes::MEMBERSHIPS, "/cloud/v2/groups/-/memberships")?
                .query("maxPageSize", MEMBERSHIPS_PER_PAGE.to_string())
                .query("filter", &filter);
            if let Some(token) = &token {
                call = call.query("pageToken", token);
            }
            let page: MembershipsBody = self.wire.json(context, &call).await?;
            for membership in &page.group_memberships {
                self.note(context, membership, groups, &mut ranks).await?;
            }
            token = page.next_page_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(ranks);
            }
        }
        Err(PlatformError::unavailable(routes::MEMBERSHIPS, "the pages do not end"))
    }

    /// Memberships of other groups are skipped.
    async fn note(
        &self,
        context: CallContext,
        membership: &MembershipBody,
        groups: &[GroupId],
        ranks: &mut Ranks,
    ) -> Result<(), PlatformError> {
        let (Some(group), Some(user)) = (membership.group(), membership.user()) else {
            return Err(PlatformError::unavailable(
                routes::MEMBERSHIPS,
                "a membership names no user or group",
            ));
        };
        if !groups.contains(&group) {
            return Ok(());
        }
        let found = self.ranks_of(context, group, &membership.role_ids()).await?;
        let held = ranks.entry((user, group)).or_default();
        held.extend(found);
        held.sort_unstable();
        held.dedup();
        Ok(())
    }
}
