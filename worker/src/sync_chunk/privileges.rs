//! The privileged and the sticky roles of a chunk, as they are when it runs: since the plan a role may have become privileged,
//! the guild may have withdrawn its permission, or made a role sticky (docs/rules.md 5).

use std::collections::BTreeSet;

use entities::guild::grants::Grants;
use entities::job_failure::NewFailure;
use entities::{ChatId, RoleId, guild};
use jobs::bulk_sync::SyncChunk;
use platforms::{CallContext, Change, ChatPlatform};
use queue::run::{JobContext, JobError};

use crate::errors::job_error;
use crate::permitted::{FailedRole, refusal};

/// The planned roles that may not be granted, and those that may not be taken.
pub(super) struct Refused {
    roles: Vec<FailedRole>,
    sticky: Vec<RoleId>,
}

impl Refused {
    pub(super) async fn read(
        job: &JobContext,
        chat: &ChatPlatform,
        call: CallContext,
        chunk: &SyncChunk,
    ) -> Result<Self, JobError> {
        let read = job.database().read();
        let (grants, sticky) = match guild::find(read, chunk.guild).await? {
            Some(guild) => (Grants::of(read, &guild).await?, guild.sticky_roles.0),
            None => Default::default(),
        };
        let planned: BTreeSet<RoleId> =
            chunk.members.iter().flat_map(|member| &member.add).copied().collect();
        if planned.is_empty() {
            return Ok(Self { roles: Vec::new(), sticky });
        }
        let roles = chat.guild_roles(call).await.map_err(job_error)?;
        let planned = roles.iter().filter(|role| planned.contains(&role.id));
        let refused = planned.filter_map(|role| {
            let problem = role.check_privileges(&grants).err()?;
            Some(FailedRole::of(role.id, problem))
        });
        Ok(Self { roles: refused.collect(), sticky })
    }

    /// Drops these roles from a member's change. `Some`: what was refused, and why.
    pub(super) fn drop_from(&self, user: ChatId, change: &mut Change) -> Option<NewFailure> {
        let dropped: Vec<_> =
            self.roles.iter().filter(|role| change.add.contains(&role.role_id)).cloned().collect();
        change.add.retain(|role| dropped.iter().all(|one| one.role_id != *role));
        change.remove.retain(|role| !self.sticky.contains(role));
        refusal(user, &dropped, None)
    }
}
