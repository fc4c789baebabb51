//! POST /guilds/:guildId/application-submissions/:submissionId/create-ticket (docs/rules.md 7)
//!
//! The ticket's row and the job that creates its channel are committed together, and the row's lock puts the calls for
//! one submission in order: a later call joins the job that is still running, or gets the ticket that is open.

use std::time::Duration;

use entities::job::listing;
use entities::ticket::{self, Begun};
use entities::{ChannelId, PanelId, SubmissionId, TicketId, application_panel, application_submission};
use jobs::kinds::CreateTicket;
use queue::{Answer, Draft, Enqueued};
use serde::{Deserialize, Serialize};

use crate::call::job;
use crate::endpoints::prelude::*;

/// How long a caller without `Prefer: wait` waits (docs/rules.md 5).
const DEFAULT_WAIT: Duration = Duration::from_secs(10);

request! {
    pub(crate) struct TicketRequest {
        /// The submission's panel.
        panel_id: PanelId,
    }
}

#[derive(Serialize, Deserialize, ToSchema)]
pub(crate) struct Ticket {
    ticket_id: TicketId,
    channel_id: ChannelId,
}

pub(crate) fn operation() -> Operation {
    Operation::new("createTicket", "Open a ticket for a submission")
        .about(
            "A submission has only one ticket: a second call answers with the same ticket. The applicant, the holders \
             of the panel's staff roles and the bot see the channel, and so do the users whom its category admits.",
        )
        .body::<TicketRequest>()
        .data::<Ticket>()
        .message("ticket created")
        .job()
        .refuses(422, &["another_panel", "unknown_category"])
}

/// Result of a call: an existing ticket, a running job, or a new one.
enum Found {
    Open(Reply),
    Pending(Enqueued),
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let submission: SubmissionId = call.path("submissionId")?;
    let TicketRequest { panel_id: panel } = call.body()?;
    let found = match call.first_job() {
        Some(first) => Found::Pending(Enqueued::joined(first)),
        None => find_or_begin(&call, submission, panel).await?,
    };
    match found {
        Found::Open(reply) => Ok(reply),
        Found::Pending(enqueued) => {
            let done = |result| {
                let ticket: Ticket = serde_json::from_value(result)?;
                Ok(Reply::data(&ticket)?.with_message("ticket created"))
            };
            job::answer(&call, enqueued, call.prefer().wait_or(DEFAULT_WAIT), done).await
        }
    }
}

async fn find_or_begin(call: &Call, submission: SubmissionId, panel: PanelId) -> Result<Found, ApiError> {
    let mut work = UnitOfWork::begin(call).await?;
    check(call, &work, submission, panel).await?;
    let begun = ticket::begin(work.tx(), call.guild(), submission, panel, work.now()).await?;
    let (Begun::Fresh(ticket) | Begun::Existing(ticket)) = begun;
    if let Some(channel_id) = ticket.channel_id {
        let data = Ticket { ticket_id: ticket.ticket_id, channel_id };
        let reply = Reply::data(&data)?.with_message("the submission has a ticket already");
        return Ok(Found::Open(work.commit(reply).await?));
    }
    let enqueued = match pending(&work, &ticket).await? {
        Some(enqueued) => enqueued,
        None => enqueue(call, &mut work, &ticket).await?,
    };
    Ok(Found::Pending(work.commit_job(enqueued).await?))
}

async fn check(
    call: &Call,
    work: &UnitOfWork<'_>,
    submission: SubmissionId,
    panel: PanelId,
) -> Result<(), ApiError> {
    let submission = application_submission::find(work.tx(), call.guild(), submission).await?;
    let submission = submission.or_not_found("submission")?;
    application_panel::find(work.tx(), call.guild(), panel).await?.or_not_found("panel")?;
    if submission.panel_id != panel {
        let message = format!("`panel_id` is not that of the submission, which is {}", submission.panel_id);
        return Err(ApiError::rule("another_panel", message));
    }
    Ok(())
}

/// The unfinished job that creates the channel. An ended job created none: otherwise the ticket would be open.
async fn pending(work: &UnitOfWork<'_>, ticket: &ticket::Model) -> Result<Option<Enqueued>, ApiError> {
    let Some(id) = ticket.job_id else { return Ok(None) };
    let job = listing::find_any(work.tx(), id).await?;
    if job.is_none_or(|job| Answer::of(&job).is_some()) {
        return Ok(None);
    }
    work.answered_by(id).await?;
    Ok(Some(Enqueued::joined(id)))
}

async fn enqueue(
    call: &Call,
    work: &mut UnitOfWork<'_>,
    ticket: &ticket::Model,
) -> Result<Enqueued, ApiError> {
    let payload = CreateTicket { guild: call.guild(), ticket: ticket.ticket_id };
    let enqueued = work.insert_job(Draft::new(call.guild(), &payload, call.actor())?).await?;
    ticket::set_job(work.tx(), call.guild(), ticket.ticket_id, enqueued.job).await?;
    let metadata = json!({ "submission_id": ticket.submission_id, "panel_id": ticket.panel_id });
    work.audit("ticket.create_requested", ticket.ticket_id, metadata);
    Ok(enqueued)
}
