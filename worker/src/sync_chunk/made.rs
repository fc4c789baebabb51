//! What the calls since the last checkpoint changed: source of the audit entries, also about members that have not ended.

use std::collections::BTreeMap;

use entities::audit_entry::{MEMBER_SYNCED, NewEntry};
use entities::{ChatId, PlayId};
use jobs::bulk_sync::{Cause, SyncChunk};
use platforms::Change;
use queue::run::JobContext;
use serde_json::json;

use crate::wanted;

/// By the member's place in the plan; empty: an earlier run may have changed the member.
#[derive(Default)]
pub(super) struct Made(BTreeMap<usize, Change>);

impl Made {
    pub(super) fn add(&mut self, member: usize, done: Change) {
        self.0.entry(member).or_default().merge(done);
    }

    /// Each with the game account for which they were changed.
    pub(super) fn members(&self, chunk: &SyncChunk) -> Vec<(ChatId, Option<PlayId>)> {
        let planned = self.0.keys().map(|member| &chunk.members[*member]);
        planned.map(|planned| (planned.user, planned.play)).collect()
    }

    pub(super) fn entries(&self, job: &JobContext, chunk: &SyncChunk) -> Vec<NewEntry> {
        let changed = self.0.iter().filter(|(_, done)| !done.is_empty());
        changed.map(|(member, done)| entry(job, chunk, *member, done)).collect()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Why a member was changed, and how.
fn entry(job: &JobContext, chunk: &SyncChunk, member: usize, done: &Change) -> NewEntry {
    let planned = &chunk.members[member];
    let mut metadata = json!({
        "cause": chunk.cause,
        "job_id": job.parent(),
        "added_roles": done.add,
        "removed_roles": done.remove,
    });
    if let Some(metadata) = metadata.as_object_mut().filter(|_| chunk.cause != Cause::Undo) {
        metadata.extend(wanted::told(&wanted::reasons(planned), done));
    }
    if let Some(nickname) = &done.nick {
        metadata["nickname"] = json!(nickname);
        metadata["nickname_before"] = json!(planned.nick_before);
    }
    let target = planned.user.to_string();
    NewEntry { guild: chunk.guild, action: MEMBER_SYNCED, target, metadata }
}
