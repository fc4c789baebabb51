//! `create_ticket`: creates the channel of a ticket, once (docs/rules.md 7).
//!
//! The ticket's row is written before the call and completed after it. The channel's topic carries the ticket's marker,
//! and the job searches the guild's channels for it before it creates one: so it finds a channel that an earlier run
//! created without a response (timeout, 5xx, killed worker).

use entities::audit_entry::NewEntry;
use entities::job::Failure;
use entities::{ChannelId, TicketId, application_panel, application_submission, link, ticket};
use jobs::kinds::CreateTicket;
use platforms::{CallContext, ChatChannel, Missing, NewChannel, PlatformError, Platforms, Viewers};
use queue::run::{Handler, JobContext, JobError, Outcome, failure};
use serde_json::json;

use crate::channel_name::channel_name;
use crate::errors::{SETTLE_PAUSE, job_error};

pub(crate) struct Job(pub(crate) Platforms);

/// The reason in the guild's audit log on the chat platform.
const REASON: &str = "ticket for an application";
/// The checkpoint while the channel is asked for.
const ASKED: bool = true;

impl Handler for Job {
    type Payload = CreateTicket;

    async fn run(&self, job: &JobContext, args: CreateTicket) -> Result<Outcome, JobError> {
        let found = ticket::find(job.database().write(), args.guild, args.ticket).await?;
        let Some(ticket) = found else {
            return Err(JobError::Fail(failure(404, "not_found", "no such ticket")));
        };
        if let Some(channel) = ticket.channel_id {
            return Ok(done(ticket.ticket_id, channel));
        }
        if ticket.job_id != Some(job.id()) {
            let message = "a newer job creates this ticket: see that job";
            return Err(JobError::Fail(failure(409, "ticket_taken_over", message)));
        }
        let (channel, found) = match self.find_or_wait(job, &ticket).await? {
            Some(channel) => (channel, true),
            None => (self.make(job, &ticket).await?, false),
        };
        complete(job, &ticket, channel.id, found).await
    }
}

impl Job {
    /// The channel created by an earlier run.
    async fn find(&self, ticket: &ticket::Model) -> Result<Option<ChatChannel>, JobError> {
        let call = CallContext::interactive(ticket.guild_id);
        let channels = self.0.chat.channels(call).await.map_err(job_error)?;
        let marker = marker(ticket);
        let carries = |channel: &ChatChannel| {
            channel.topic.as_deref().is_some_and(|topic| topic.split_whitespace().any(|word| word == marker))
        };
        Ok(channels.into_iter().filter(carries).min_by_key(|channel| channel.id))
    }

    /// The request of a run that was cut may still be in flight, whatever cut it.
    async fn find_or_wait(
        &self,
        job: &JobContext,
        ticket: &ticket::Model,
    ) -> Result<Option<ChatChannel>, JobError> {
        match self.find(ticket).await? {
            None if job.last_checkpoint() == Some(ASKED) => {
                tokio::time::sleep(SETTLE_PAUSE).await;
                self.find(ticket).await
            }
            found => Ok(found),
        }
    }

    async fn make(&self, job: &JobContext, ticket: &ticket::Model) -> Result<ChatChannel, JobError> {
        let channel = self.describe(job, ticket).await?;
        job.checkpoint(job.begin().await?, &ASKED).await?;
        job.before_single_effect().await?;
        let call = CallContext::interactive(ticket.guild_id);
        let made = self.0.chat.create_channel(call, channel, REASON).await;
        if made.is_err() {
            // This run was not cut: the next one need not wait.
            job.checkpoint(job.begin().await?, &!ASKED).await?;
        }
        made.map_err(|error| match &error {
            // The backoff of later attempts is longer than this.
            PlatformError::Unavailable { .. } if !job.is_resumed() => {
                JobError::Snooze(Failure::from(&error), SETTLE_PAUSE)
            }
            _ => job_error(error),
        })
    }

    /// The channel to create: named after panel and applicant, visible to the applicant, the panel's staff, the
    /// bot and those the category admits.
    async fn describe(&self, job: &JobContext, ticket: &ticket::Model) -> Result<NewChannel, JobError> {
        let (conn, guild) = (job.database().read(), ticket.guild_id);
        let panel = application_panel::find(conn, guild, ticket.panel_id).await?;
        let submission = application_submission::find(conn, guild, ticket.submission_id).await?;
        let (Some(panel), Some(submission)) = (panel, submission) else {
            return Err(JobError::Fail(failure(404, "not_found", "panel or submission no longer exists")));
        };
        let applicant = submission.chat_id;
        let link = link::find_by_chat(conn, guild, applicant).await?;
        let name = link.map_or_else(|| applicant.to_string(), |link| link.play_username);
        let viewers = Viewers { users: vec![applicant], roles: panel.staff_roles(conn).await? };
        let call = CallContext::interactive(guild);
        let access = self.0.chat.private_access(call, panel.category_id, viewers).await;
        Ok(NewChannel {
            name: channel_name(&panel.name, &name),
            category: panel.category_id,
            topic: Some(format!("Application of <@{applicant}> {}", marker(ticket))),
            overwrites: access.map_err(no_access)?,
        })
    }
}

fn no_access(error: PlatformError) -> JobError {
    match error {
        PlatformError::NotFound(Missing::Channel) => {
            let message =
                "the panel's category does not exist in the guild: choose another one for the panel";
            JobError::Fail(failure(422, "unknown_category", message))
        }
        error => job_error(error),
    }
}

/// Identifies the ticket across databases: a new database reuses its number.
fn marker(ticket: &ticket::Model) -> String {
    format!("guildhall:ticket:{}:{}", ticket.ticket_id, ticket.created_at.timestamp_millis())
}

async fn complete(
    job: &JobContext,
    ticket: &ticket::Model,
    channel: ChannelId,
    found: bool,
) -> Result<Outcome, JobError> {
    let mut work = job.begin_with_claim().await?;
    let (id, now) = (ticket.ticket_id, job.now());
    if ticket::open(work.tx(), ticket.guild_id, id, channel, now).await?.is_none() {
        work.rollback().await?;
        let open = ticket::find(job.database().write(), ticket.guild_id, id).await?;
        let channel = open.and_then(|ticket| ticket.channel_id).ok_or(JobError::ClaimLost)?;
        return Ok(done(id, channel));
    }
    let entry = NewEntry {
        guild: ticket.guild_id,
        action: "ticket.create",
        target: id.to_string(),
        metadata: json!({
            "submission_id": ticket.submission_id, "panel_id": ticket.panel_id, "channel_id": channel,
            "made_by_an_earlier_run": found,
        }),
    };
    work.audit(job.actor(), entry);
    job.commit(work).await?;
    Ok(done(id, channel))
}

fn done(ticket: TicketId, channel: ChannelId) -> Outcome {
    Outcome::done(json!({ "ticket_id": ticket, "channel_id": channel }))
}
