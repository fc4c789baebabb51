//! `catch_up`: finds the members of a guild who joined, or whom somebody changed, while no events of the chat platform came
//! (docs/rules.md 5).

use entities::{ChatId, guild};
use jobs::kinds::CatchUp;
use jobs::member_events::Members;
use platforms::{CallContext, ChatMember, MEMBERS_PER_PAGE, PlatformError, Platforms};
use queue::QueueError;
use queue::run::{Handler, JobContext, JobError, Outcome, failure};
use runtime::UnitOfWork;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::errors::{job_error, wait_out};

pub(crate) struct Job(pub(crate) Platforms);

/// Read so far.
#[derive(Default, Serialize, Deserialize)]
struct Progress {
    after: Option<ChatId>,
    members: usize,
}

impl Handler for Job {
    type Payload = CatchUp;

    async fn run(&self, job: &JobContext, args: CatchUp) -> Result<Outcome, JobError> {
        let call = CallContext::bulk(args.guild);
        let mut progress: Progress = job.last_checkpoint().unwrap_or_default();
        loop {
            job.check_cancelled()?;
            let page = match self.0.chat.members_page(call, progress.after, MEMBERS_PER_PAGE).await {
                Ok(page) => page,
                // Such a stream tells nothing of members either.
                Err(PlatformError::MembersIntentOff) => return Ok(Outcome::done(json!({ "members": 0 }))),
                Err(error) => return Err(wait_out(job, job_error(error))),
            };
            progress.after = page.last().map(|member| member.chat_id);
            progress.members += page.len();
            let mut work = job.begin().await?;
            look_at(&mut work, &args, &page).await.map_err(|error| match error {
                QueueError::Database(error) => error.into(),
                error @ QueueError::Arguments(_) => {
                    JobError::Retry(failure(500, "internal", error.to_string()))
                }
            })?;
            job.checkpoint(work, &progress).await?;
            if page.len() < usize::from(MEMBERS_PER_PAGE) {
                return Ok(Outcome::done(json!({ "members": progress.members })));
            }
            if job.should_yield() {
                return Ok(Outcome::Yield);
            }
        }
    }
}

async fn look_at(work: &mut UnitOfWork, args: &CatchUp, page: &[ChatMember]) -> Result<(), QueueError> {
    let Some(guild) = guild::find(work.tx(), args.guild).await? else { return Ok(()) };
    let people: Vec<&ChatMember> = page.iter().filter(|member| !member.is_bot).collect();
    let users: Vec<ChatId> = people.iter().map(|member| member.chat_id).collect();
    let mut members = Members::load(work, guild, &users).await?;
    for member in people {
        if member.joined_at.is_some_and(|joined_at| joined_at >= args.since) {
            members.joined(work, member).await?;
        } else {
            members.missed(work, member).await?;
        }
    }
    Ok(())
}
