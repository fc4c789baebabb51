//! `sync_chunk`: carries out the planned changes of up to 200 members, a few calls at a time.
//!
//! Answers are taken in the order of the plan, so what is done is always a prefix of it and one number is the
//! checkpoint. A run that was cut may have done more than its checkpoint says: the next one, and one whose plan has grown
//! old, reads the members again and does only what is still due. A member that fails is noted under the parent and the
//! chunk goes on; an error that may pass keeps the prefix and retries the rest.

mod reread;
mod tally;

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use entities::ChatId;
use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use platforms::{CallContext, ChatMember, Missing, PlatformError};
use queue::kinds::{PlannedChange, SyncChunk};
use queue::run::{Handler, JobContext, JobError, Outcome};

use crate::Services;
use crate::apply::{Applied, apply};
use crate::errors::job_error;
use crate::wanted::Change;
use tally::Tally;

pub(crate) struct Job(pub(crate) Services);

/// Calls under way at a time: enough for one chunk to fill the pace of bulk calls at answer times of up to 0.3 s.
const IN_FLIGHT: usize = 12;
/// A plan older than this is checked against the members as they are.
const FRESH: Duration = Duration::from_secs(60);

/// How one member's change went.
enum Step {
    Applied(Applied),
    /// All of it was done already.
    Skipped,
}

#[async_trait]
impl Handler for Job {
    type Payload = SyncChunk;

    async fn run(&self, job: &JobContext, chunk: SyncChunk) -> Result<Outcome, JobError> {
        job.check_cancelled()?;
        let mut tally = Tally::resume(job, chunk.members.len());
        let rest = chunk.members.get(tally.next()..).unwrap_or_default();
        let call = CallContext::bulk(chunk.guild);
        let known = self.members_now(job, call, (rest, chunk.planned_at)).await?;
        let known = known.as_ref();
        let mut left = rest.iter();
        let mut flying = FuturesOrdered::new();
        let mut broken = None;
        loop {
            while broken.is_none() && left.len() > 0 && flying.len() < tally.room(IN_FLIGHT) && goes_on(job) {
                if let Err(error) = job.before_effect().await {
                    broken = Some(error);
                    break;
                }
                let Some(change) = left.next() else { break };
                flying.push_back(async move { (change, self.step(call, change, known).await) });
            }
            let Some((change, step)) = flying.next().await else { break };
            let ended = tally.settle(change, step);
            broken = broken.or(ended);
            tally.keep_if_due(job).await?;
        }
        tally.keep(job).await?;
        match broken {
            Some(error) => Err(error),
            None if tally.is_complete() => Ok(Outcome::done(tally.result())),
            None => job.check_cancelled().map(|()| Outcome::Yield),
        }
    }
}

fn goes_on(job: &JobContext) -> bool {
    !job.cancelled().is_cancelled() && !job.should_yield()
}

impl Job {
    /// The members as they are now, where the plan cannot be relied on.
    async fn members_now(
        &self,
        job: &JobContext,
        call: CallContext,
        (rest, planned_at): (&[PlannedChange], i64),
    ) -> Result<Option<HashMap<ChatId, ChatMember>>, JobError> {
        let age = u64::try_from(job.now().timestamp() - planned_at).unwrap_or(0);
        if !job.is_resumed() && age <= FRESH.as_secs() {
            return Ok(None);
        }
        reread::members(self.0.platforms.chat.as_ref(), call, rest).await.map(Some).map_err(job_error)
    }

    async fn step(
        &self,
        call: CallContext,
        planned: &PlannedChange,
        known: Option<&HashMap<ChatId, ChatMember>>,
    ) -> Result<Step, PlatformError> {
        let now;
        let (held, change) = match known {
            None => (&planned.held, Change::from(planned)),
            Some(members) => {
                now = members.get(&planned.user).ok_or(PlatformError::NotFound(Missing::Member))?;
                (&now.roles, Change::still_due(planned, now))
            }
        };
        if change.is_empty() {
            return Ok(Step::Skipped);
        }
        apply(self.0.platforms.chat.as_ref(), call, planned.user, (held, &change)).await.map(Step::Applied)
    }
}
