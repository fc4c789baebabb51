//! The privileged roles of a chunk, as they are when it runs: since the plan a role may have become privileged, or the
//! guild may have withdrawn its permission (docs/rules.md 5).

use std::collections::BTreeSet;

use entities::job_failure::NewFailure;
use entities::{ChatId, RoleId, guild};
use jobs::bulk_sync::SyncChunk;
use platforms::{CallContext, ChatPlatform};
use queue::run::{JobContext, JobError};

use crate::errors::job_error;
use crate::permitted::{FailedRole, refusal};
use crate::wanted::Change;

/// The planned roles that may not be granted.
pub(super) struct Refused(Vec<FailedRole>);

impl Refused {
    pub(super) async fn read(
        job: &JobContext,
        chat: &ChatPlatform,
        call: CallContext,
        chunk: &SyncChunk,
    ) -> Result<Self, JobError> {
        let planned: BTreeSet<RoleId> =
            chunk.members.iter().flat_map(|member| &member.add).copied().collect();
        if planned.is_empty() {
            return Ok(Self(Vec::new()));
        }
        let roles = chat.guild_roles(call).await.map_err(job_error)?;
        let allowed = guild::allowed_privileged_roles(job.database().read(), chunk.guild).await?;
        let planned = roles.iter().filter(|role| planned.contains(&role.id));
        let refused = planned.filter_map(|role| {
            let problem = role.check_privileges(&allowed).err()?;
            Some(FailedRole::of(role.id, problem))
        });
        Ok(Self(refused.collect()))
    }

    /// Drops the refused roles from a member's change. `Some`: what was dropped, and why.
    pub(super) fn drop_from(&self, user: ChatId, change: &mut Change) -> Option<NewFailure> {
        let dropped: Vec<_> =
            self.0.iter().filter(|role| change.add.contains(&role.role_id)).cloned().collect();
        change.add.retain(|role| dropped.iter().all(|one| one.role_id != *role));
        refusal(user, &dropped, None)
    }
}
