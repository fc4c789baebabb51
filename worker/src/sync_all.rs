//! `sync_all`: plans the sync of a whole guild, page by page, and passes the differences to chunks (`sync_chunk`).
//!
//! Each page commits at once with the chunks cut from it, so a killed run continues after its last page and plans no
//! page twice. Chunks wait until the plan is complete; they end with a plan that is cancelled, exceeds
//! `max_removals` or fails, so no member is changed. One page is in memory at a time; the next one is fetched while the ranks of
//! the current one arrive.

mod follow;
mod page;
mod plan;
mod planner;

use entities::{follow as follow_row, guild, job_failure, link, synced_member};
use jobs::bulk_sync::{Cause, SyncAll, SyncChunk};
use jobs::staff_by_role::{self, Staff};
use platforms::{CallContext, MEMBERS_PER_PAGE, Platforms};
use queue::Draft;
use queue::run::{Handler, JobContext, JobError, Outcome, failure};
use runtime::Event;
use serde_json::Value;

use crate::errors::{job_error, queue_error, unwritable, wait_out};
use crate::wanted;
use follow::Turn;
use page::{Findings, Page};
use plan::{Cut, Plan};
use planner::Planner;

pub(crate) struct Job(pub(crate) Platforms);

impl Handler for Job {
    type Payload = SyncAll;

    async fn run(&self, job: &JobContext, args: SyncAll) -> Result<Outcome, JobError> {
        match self.plan(job, &args).await {
            Err(error @ (JobError::Cancelled | JobError::Fail(_))) => {
                discard(job).await?;
                Err(error)
            }
            settled => settled.map_err(|error| wait_out(job, error)),
        }
    }
}

impl Job {
    async fn plan(&self, job: &JobContext, args: &SyncAll) -> Result<Outcome, JobError> {
        job.check_cancelled()?;
        let read = job.database().read();
        let rules = wanted::load(read, args.guild).await?;
        let links = i64::try_from(link::count(read, args.guild).await?).unwrap_or(i64::MAX);
        let begun: Option<Plan> = job.last_checkpoint();
        if begun.is_none() && rules.is_empty() {
            return conclude(job, args, Plan::nothing_asked(links));
        }
        let mut plan = begun.unwrap_or_default();
        if args.follow.is_some() && !plan.complete {
            let calls = follow::calls(links, &rules);
            if follow::in_turn(job, args, &mut plan, self.0.follow_pace, calls).await? == Turn::Superseded {
                return conclude(job, args, Plan::nothing_asked(links));
            }
        }
        if !plan.complete {
            let call = CallContext::bulk(args.guild);
            let overview = self.0.chat.guild_overview(call).await.map_err(job_error)?;
            let staff = match guild::find(read, args.guild).await? {
                Some(guild) if !args.dry_run => Staff::load(read, &guild).await?,
                _ => None,
            };
            let planner = Planner { platforms: &self.0, job, args, rules, staff, overview, call, links };
            planner.go_through(&mut plan).await?;
        }
        if plan.complete { conclude(job, args, plan) } else { Ok(Outcome::Yield) }
    }
}

impl Planner<'_> {
    /// Plans page after page until all are done or the time slice is over; each page commits when it is done.
    async fn go_through(&self, plan: &mut Plan) -> Result<(), JobError> {
        let mut page = self.fetch(plan.after).await?;
        loop {
            self.job.check_cancelled()?;
            // Decided before the next page is fetched, to avoid a wasted fetch.
            let last_turn = self.job.should_yield() || self.args.follow.is_some();
            let next = async {
                if page.is_last() || last_turn {
                    return Ok(None);
                }
                self.fetch(page.up_to()).await.map(Some)
            };
            let (findings, next) = tokio::try_join!(page::examine(self, &page), next)?;
            plan.after = page.up_to();
            plan.complete = page.is_last();
            self.keep(plan, findings).await?;
            match next {
                Some(next) => page = next,
                None => return Ok(()),
            }
        }
    }

    async fn fetch(&self, after: Option<entities::ChatId>) -> Result<Page, JobError> {
        let members = self.platforms.chat.members_page(self.call, after, MEMBERS_PER_PAGE).await;
        Ok(Page { after, members: members.map_err(job_error)? })
    }

    /// Commits a page: its chunks, new names, roles out of reach, and the checkpoint.
    async fn keep(&self, plan: &mut Plan, findings: Findings) -> Result<(), JobError> {
        let (job, guild, now) = (self.job, self.args.guild, self.job.now());
        let Findings { differences, renamed, refusals, states, due, settled, staff } = findings;
        let cuts = plan.absorb(differences, now.timestamp(), self.args.dry_run);
        let chunks = cuts.into_iter().map(|cut| chunk(job, self.args, cut)).collect::<Result<Vec<_>, _>>()?;
        job.set_progress(plan.seen.unchanged, self.links.max(plan.seen.members), 0);
        let mut work = job.begin().await?;
        link::rename(work.tx(), guild, &renamed).await?;
        job_failure::note(work.tx(), job.id(), refusals, now).await?;
        if !self.args.dry_run {
            synced_member::note(work.tx(), guild, states).await?;
        }
        synced_member::note_due(work.tx(), guild, due, now).await?;
        let settled: Vec<_> = settled.into_iter().collect();
        synced_member::settle(work.tx(), guild, &settled).await?;
        staff_by_role::enqueue(&mut work, guild, staff).await.map_err(queue_error)?;
        if plan.complete {
            follow_row::looked(work.tx(), guild, now).await?;
        }
        job.add_chunks(work.tx(), chunks).await?;
        work.announce((!renamed.is_empty()).then_some(Event::NamesChanged { guild }));
        job.checkpoint(work, plan).await
    }
}

fn chunk(job: &JobContext, args: &SyncAll, cut: Cut) -> Result<Draft, JobError> {
    let total = i64::try_from(cut.members.len()).unwrap_or(i64::MAX);
    let payload = SyncChunk {
        guild: args.guild,
        members: cut.members,
        planned_at: cut.planned_at,
        cause: if args.follow.is_some() { Cause::Follow } else { Cause::SyncAll },
    };
    Ok(Draft::new(args.guild, &payload, job.actor()).map_err(unwritable)?.total(total))
}

/// The end of the plan: reports a dry run, fails on the safety limit, or starts the chunks.
fn conclude(job: &JobContext, args: &SyncAll, mut plan: Plan) -> Result<Outcome, JobError> {
    let seen = plan.seen;
    let spent_ms = i64::try_from(job.age().as_millis()).unwrap_or(i64::MAX);
    tracing::info!(
        members = seen.members,
        to_change = seen.planned,
        duration_ms = spent_ms,
        members_per_second = seen.members * 1000 / spent_ms.max(1),
        "sync of all members planned"
    );
    if args.dry_run {
        job.set_progress(seen.members, seen.members, 0);
        return Ok(Outcome::done(plan.preview(args.max_removals)));
    }
    if let Some(pass) = &args.follow {
        follow::brake(pass, seen, &plan.in_group)?;
        if seen.planned == 0 {
            job.set_progress(seen.members, seen.members, 0);
            return Ok(Outcome::done(plan.counters()));
        }
    }
    if let Some(limit) = args.max_removals.filter(|limit| plan.exceeds(*limit)) {
        let removals = seen.role_removals;
        let message = format!(
            "the sync would remove {removals} roles, more than its limit of {limit} (max_removals): nothing was changed"
        );
        return Err(JobError::Fail(failure(422, "too_many_removals", message)));
    }
    let rest = plan.take_rest();
    let chunks = rest.into_iter().map(|cut| chunk(job, args, cut)).collect::<Result<Vec<_>, _>>()?;
    job.set_progress(seen.unchanged, seen.members, 0);
    let checkpoint = queue::begun(job.now(), seen.unchanged);
    Ok(Outcome::FanOut { chunks, counters: plan.counters(), checkpoint })
}

/// Deletes the plan, so that a retry of the job starts over. Its chunks end with the job.
async fn discard(job: &JobContext) -> Result<(), JobError> {
    job.checkpoint(job.begin().await?, &Value::Null).await
}
