//! `catch_up`: finds the members of a guild who joined, or whom somebody changed, and the bans that somebody made or lifted,
//! while no events of the chat platform came (docs/rules.md 4 and 5).

use std::collections::BTreeSet;

use entities::{ChatId, guild};
use jobs::kinds::CatchUp;
use jobs::member_events::{Members, follow_bans};
use platforms::{BanDeed, CallContext, ChatMember, MEMBERS_PER_PAGE, PlatformError, Platforms};
use queue::QueueError;
use queue::run::{Handler, JobContext, JobError, Outcome};
use runtime::UnitOfWork;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::errors::{job_error, queue_error, wait_out};

pub(crate) struct Job(pub(crate) Platforms);

/// Read so far.
#[derive(Default, Serialize, Deserialize)]
struct Progress {
    bans: bool,
    after: Option<ChatId>,
    members: usize,
}

impl Handler for Job {
    type Payload = CatchUp;

    async fn run(&self, job: &JobContext, args: CatchUp) -> Result<Outcome, JobError> {
        let call = CallContext::bulk(args.guild);
        let mut progress: Progress = job.last_checkpoint().unwrap_or_default();
        if !progress.bans {
            let users = self.banned(job, call, &args).await.map_err(|error| wait_out(job, error))?;
            let mut work = job.begin().await?;
            follow_bans(&mut work, args.guild, users).await.map_err(queue_error)?;
            progress.bans = true;
            job.checkpoint(work, &progress).await?;
        }
        loop {
            job.check_cancelled()?;
            let page = match self.0.chat.members_page(call, progress.after, MEMBERS_PER_PAGE).await {
                Ok(page) => page,
                // Such a stream tells nothing of members either.
                Err(PlatformError::MembersIntentOff) => return Ok(Outcome::done(json!({ "members": 0 }))),
                Err(error) => return Err(wait_out(job, job_error(error))),
            };
            let after = progress.after;
            progress.after = page.last().map(|member| member.chat_id);
            progress.members += page.len();
            let is_last = page.len() < usize::from(MEMBERS_PER_PAGE);
            let covered = (after, progress.after.filter(|_| !is_last));
            let mut work = job.begin().await?;
            look_at(&mut work, &args, &page, covered).await.map_err(queue_error)?;
            job.checkpoint(work, &progress).await?;
            if is_last {
                return Ok(Outcome::done(json!({ "members": progress.members })));
            }
            if job.should_yield() {
                return Ok(Outcome::Yield);
            }
        }
    }
}

impl Job {
    /// Whose bans changed since, where bans are followed and the bot may read the guild's audit log.
    async fn banned(
        &self,
        job: &JobContext,
        call: CallContext,
        args: &CatchUp,
    ) -> Result<BTreeSet<ChatId>, JobError> {
        let mut users = BTreeSet::new();
        if !guild::find(job.database().read(), args.guild).await?.is_some_and(|guild| guild.follow_bans) {
            return Ok(users);
        }
        for deed in BanDeed::ALL {
            match self.0.chat.banned_since(call, deed, args.since).await {
                Ok(some) => users.extend(some),
                Err(PlatformError::Forbidden { .. }) => return Ok(BTreeSet::new()),
                Err(error) => return Err(job_error(error)),
            }
        }
        Ok(users)
    }
}

/// `covered`: after whom and up to whom the page has all members.
async fn look_at(
    work: &mut UnitOfWork,
    args: &CatchUp,
    page: &[ChatMember],
    covered: (Option<ChatId>, Option<ChatId>),
) -> Result<(), QueueError> {
    let Some(guild) = guild::find(work.tx(), args.guild).await? else { return Ok(()) };
    let people: Vec<&ChatMember> = page.iter().filter(|member| !member.is_bot).collect();
    let users: Vec<ChatId> = people.iter().map(|member| member.chat_id).collect();
    let mut members = Members::load(work, guild, &users).await?;
    members.look_at_staff_of(page, covered);
    for member in people {
        if member.joined_at.is_some_and(|joined_at| joined_at >= args.since) {
            members.joined(member);
        } else {
            members.missed(member);
        }
    }
    members.write(work).await
}
