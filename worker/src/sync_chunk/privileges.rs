//! What of a plan is refused when its chunk runs: since then a role may have become privileged, the guild may have withdrawn
//! its permission, made a role sticky, or a member may have got a role that spares them (docs/rules.md 5).

use std::collections::BTreeSet;

use entities::guild::grants::Grants;
use entities::job_failure::NewFailure;
use entities::{ChatId, RoleId, guild};
use jobs::bulk_sync::{Cause, SyncChunk};
use platforms::{CallContext, Change, ChatPlatform, GuildRules};
use queue::run::{JobContext, JobError};

use crate::errors::job_error;
use crate::permitted::{FailedRole, refusal};

pub(super) struct Refused {
    /// The planned roles that may not be granted.
    roles: Vec<FailedRole>,
    /// By the settings; without bindings.
    pub(super) rules: GuildRules,
}

impl Refused {
    pub(super) async fn read(
        job: &JobContext,
        chat: &ChatPlatform,
        call: CallContext,
        chunk: &SyncChunk,
    ) -> Result<Self, JobError> {
        let read = job.database().read();
        let mut rules = match guild::find(read, chunk.guild).await? {
            Some(guild) => GuildRules::new(Vec::new(), guild.settings(), Grants::of(read, &guild).await?),
            None => GuildRules::default(),
        };
        if chunk.cause == Cause::Undo {
            // What a sync gave of them is what an undo takes.
            rules.sticky.clear();
        }
        let planned: BTreeSet<RoleId> =
            chunk.members.iter().flat_map(|member| &member.add).copied().collect();
        if planned.is_empty() {
            return Ok(Self { roles: Vec::new(), rules });
        }
        let roles = chat.guild_roles(call).await.map_err(job_error)?;
        let planned = roles.iter().filter(|role| planned.contains(&role.id));
        let refused = planned.filter_map(|role| {
            let problem = role.check_privileges(&rules.grants).err()?;
            Some(FailedRole::of(role.id, problem))
        });
        Ok(Self { roles: refused.collect(), rules })
    }

    /// Drops these roles from a member's change. `Some`: what was refused, and why.
    pub(super) fn drop_from(&self, user: ChatId, change: &mut Change) -> Option<NewFailure> {
        let dropped: Vec<_> =
            self.roles.iter().filter(|role| change.add.contains(&role.role_id)).cloned().collect();
        change.add.retain(|role| dropped.iter().all(|one| one.role_id != *role));
        change.remove.retain(|role| !self.rules.sticky.contains(role));
        refusal(user, &dropped, None)
    }
}
