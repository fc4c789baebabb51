//! `sync_chunk`: carries out the planned changes of up to 200 members, several calls at a time.
//!
//! Role calls and updates have separate limits on the platform, so each kind has its own list: members that wait for
//! one limit do not delay members that need only the other. Members end in any order; the checkpoint records the
//! finished ones. A cut run may have done more than its checkpoint says: the next run, or one with an old plan, reads
//! the members again and makes only the changes still due. A member's failure is recorded under the parent and the
//! chunk continues; a transient error leaves its member to the next run. Members who are linked to another account than
//! the plan says, or to none, are skipped.

mod buckets;
mod made;
mod privileges;
mod progress;
mod reread;

use std::collections::HashMap;
use std::pin::pin;
use std::time::Duration;

use entities::{ChatId, PlayId, link};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use jobs::bulk_sync::{Cause, PlannedChange, SyncChunk};
use platforms::{CallContext, Change, ChatMember, GuildRules, Platforms};
use queue::run::{Handler, JobContext, JobError, Outcome};

use crate::apply::{Sender, Whom};
use crate::errors::{job_error, wait_out};
use crate::wanted;
use buckets::{Buckets, Due};
use privileges::Refused;
pub(crate) use progress::changed;
use progress::{Member, Progress, Settled};

pub(crate) struct Job(pub(crate) Platforms);

/// A plan older than this is compared with the members' current state.
const PLAN_FRESH_FOR: Duration = Duration::from_secs(60);
/// Interval at which a chunk checks for a stop while all its calls wait for permits.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(250);

impl Handler for Job {
    type Payload = SyncChunk;

    async fn run(&self, job: &JobContext, chunk: SyncChunk) -> Result<Outcome, JobError> {
        job.check_cancelled()?;
        let mut progress = Progress::resume(job, chunk.members.len());
        let call = CallContext::bulk(chunk.guild);
        let due = self.due(job, call, &chunk, &mut progress).await;
        let due = due.map_err(|error| wait_out(job, error))?;
        let stop = job.cancelled().child_token();
        let bound_only = chunk.cause != Cause::Undo;
        let sender = Sender { chat: self.0.chat.as_ref(), call, job, stop: &stop, bound_only };
        let broken = carry_out(sender, &chunk, &due, &mut progress).await;
        progress.keep(job, &chunk).await?;
        match broken {
            Some(error) => Err(wait_out(job, error)),
            None if progress.is_complete() => Ok(Outcome::done(progress.result())),
            None => job.check_cancelled().map(|()| Outcome::Yield),
        }
    }
}

/// Runs until all calls are done, or until no new call starts and the open ones have ended. `Some`: why the chunk ends
/// early.
async fn carry_out(
    sender: Sender<'_>,
    chunk: &SyncChunk,
    due: &[Due],
    progress: &mut Progress,
) -> Option<JobError> {
    let mut buckets = Buckets::new(due);
    let mut flying = FuturesUnordered::new();
    let mut look = tokio::time::interval(STOP_CHECK_INTERVAL);
    let mut landed = Vec::new();
    let mut broken = None;
    loop {
        while !sender.stop.is_cancelled()
            && let Some(part) = buckets.next()
        {
            flying.push(async move { (part, part.carry_out(sender).await) });
        }
        if landed.is_empty() {
            tokio::select! {
                ended = flying.next() => match ended {
                    Some(ended) => landed.push(ended),
                    None => return broken,
                },
                _ = look.tick() => {}
            }
        }
        for (part, applied) in landed.drain(..) {
            let Settled { member, done, ended } = buckets.settle(part, applied);
            if !done.is_empty() {
                progress.wrote(part.member(), done);
            }
            if let Some(member) = member {
                progress.note(part.member(), member);
            }
            broken = broken.or(ended);
        }
        if broken.is_some() || sender.job.should_yield() {
            sender.stop.cancel();
        }
        if broken.is_some() {
            continue;
        }
        // The calls go on meanwhile: those that hold a connection to the database may be what the checkpoint waits for.
        let mut keeping = pin!(progress.keep_if_due(sender.job, chunk));
        let kept = loop {
            tokio::select! {
                kept = &mut keeping => break kept,
                Some(ended) = flying.next() => landed.push(ended),
            }
        };
        if let Err(error) = kept {
            // What the open calls change is still to be told.
            sender.stop.cancel();
            broken = Some(error);
        }
    }
}

/// Of a change that is put back, only what nobody touched since, whoever holds what.
fn still_due(cause: Cause, planned: &PlannedChange, member: &ChatMember, rules: &GuildRules) -> Change {
    let mut change = wanted::change(planned).still_due(member);
    if cause != Cause::Undo {
        return rules.spare(member, change);
    }
    if member.nick != planned.nick_before {
        change.nick = None;
    }
    change
}

impl Job {
    /// The due change of each unsettled member. Members without a change, who left or have another link are settled
    /// here.
    async fn due(
        &self,
        job: &JobContext,
        call: CallContext,
        chunk: &SyncChunk,
        progress: &mut Progress,
    ) -> Result<Vec<Due>, JobError> {
        let left: Vec<(usize, &PlannedChange)> =
            chunk.members.iter().enumerate().filter(|(index, _)| !progress.is_settled(*index)).collect();
        let age = u64::try_from(job.now().timestamp() - chunk.planned_at).unwrap_or(0);
        let chat = self.0.chat.as_ref();
        let refused = Refused::read(job, chat, call, chunk).await?;
        let users: Vec<ChatId> = left.iter().map(|(_, planned)| planned.user).collect();
        let now: Option<HashMap<ChatId, ChatMember>> = if job.is_resumed() || age > PLAN_FRESH_FOR.as_secs() {
            Some(reread::members(chat, call, &users).await.map_err(job_error)?)
        } else {
            None
        };
        let linked = link::find_by_chats(job.database().read(), chunk.guild, &users).await?;
        let linked: HashMap<ChatId, PlayId> =
            linked.into_iter().map(|link| (link.chat_id, link.play_id)).collect();
        let mut due = Vec::with_capacity(left.len());
        for (index, planned) in left {
            let linked = linked.get(&planned.user).copied();
            let Some(play) = linked.filter(|play| planned.is_for(*play)) else {
                progress.skip(index);
                continue;
            };
            let mut change = match &now {
                None => wanted::change(planned),
                Some(members) => match members.get(&planned.user) {
                    Some(member) => still_due(chunk.cause, planned, member, &refused.rules),
                    None => {
                        progress.note(index, progress::left_the_guild(planned.user));
                        continue;
                    }
                },
            };
            match (refused.drop_from(planned.user, &mut change), change.is_empty()) {
                (Some(refusal), true) => progress.note(index, Member::Failed(refusal)),
                (None, true) => progress.skip(index),
                (refusal, false) => {
                    refusal.into_iter().for_each(|refusal| progress.refuse(refusal));
                    due.push((index, Whom { user: planned.user, play: Some(play) }, change));
                }
            }
        }
        Ok(due)
    }
}
