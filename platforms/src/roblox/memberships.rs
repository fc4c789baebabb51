//! The memberships of one batch of users in any groups: one call, and one more for each further page.

use entities::{GroupId, PlayId};

use super::PlayPlatform;
use super::types::MembershipBody;
use crate::context::CallContext;
use crate::error::{PlatformError, Result};
use crate::play::Memberships;
use crate::routes::play as routes;

/// Maximum memberships per page.
const MEMBERSHIPS_PER_PAGE: u32 = 100;
/// 50 users in 100 groups each are 50 pages: more than this is a loop.
const MAX_PAGES: usize = 200;

impl PlayPlatform {
    pub(super) async fn batch_memberships(
        &self,
        context: CallContext,
        users: Vec<PlayId>,
        groups: &[GroupId],
    ) -> Result<Memberships> {
        let names: Vec<String> = users.iter().map(|user| format!("'users/{user}'")).collect();
        let filter = format!("user in [{}]", names.join(","));
        let list = self
            .cloud(routes::MEMBERSHIPS, "/cloud/v2/groups/-/memberships")?
            .query("maxPageSize", MEMBERSHIPS_PER_PAGE.to_string())
            .query("filter", filter);
        let mut found = Memberships::new();
        for membership in &self.items(context, list, MAX_PAGES).await? {
            self.note(context, membership, groups, &mut found).await?;
        }
        Ok(found)
    }

    /// Memberships of other groups are skipped.
    async fn note(
        &self,
        context: CallContext,
        membership: &MembershipBody,
        groups: &[GroupId],
        found: &mut Memberships,
    ) -> Result<()> {
        let (Some(group), Some(user)) = (membership.group(), membership.user()) else {
            return Err(PlatformError::unavailable(
                routes::MEMBERSHIPS,
                "a membership names no user or group",
            ));
        };
        if !groups.contains(&group) {
            return Ok(());
        }
        let roles = self.roles_of(context, group, &membership.role_ids()).await?;
        let held = found.entry((user, group)).or_default();
        held.extend(roles);
        held.sort_unstable_by_key(|role| (role.rank, role.id));
        held.dedup();
        Ok(())
    }
}
