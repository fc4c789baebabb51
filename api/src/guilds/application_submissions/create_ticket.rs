//! POST /guilds/:guildId/application-submissions/:submissionId/create-ticket (docs/rules.md 7)
//!
//! The ticket's row and the job that makes its channel are committed together, and the row's lock makes calls for one
//! submission take turns: whoever comes second joins the job that is under way, or is given the ticket that is there.

use std::time::Duration;

use entities::job::listing;
use entities::ticket::{self, Begun};
use entities::{ChannelId, PanelId, SubmissionId, TicketId, application_panel, application_submission};
use queue::kinds::CreateTicket;
use queue::{Answer, Draft, Enqueued};
use sea_orm::DatabaseTransaction;
use serde::Serialize;
use serde_json::json;

use crate::call::Call;
use crate::fields::Field;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::job_call;

/// How long a caller waits who says nothing (docs/rules.md 5).
const WAIT: Duration = Duration::from_secs(10);

#[derive(Serialize)]
struct Ticket {
    ticket_id: TicketId,
    channel_id: ChannelId,
}

/// What a request finds.
enum Found {
    Open(Reply),
    UnderWay(Enqueued),
}

pub(crate) async fn create_ticket(call: Call) -> Result<Reply, ApiError> {
    let submission: SubmissionId = call.path("submissionId", &SubmissionId::allowed())?;
    let panel: PanelId = call.fields.required("panel_id")?;
    let found = match call.first_job() {
        Some(first) => Found::UnderWay(Enqueued::joined(first)),
        None => find_or_begin(&call, (submission, panel)).await?,
    };
    match found {
        Found::Open(reply) => Ok(reply),
        Found::UnderWay(enqueued) => {
            let done = |result| Ok(Reply::data(&result)?.with_message("ticket created"));
            job_call::answer(&call, enqueued, call.prefer.wait_or(WAIT), done).await
        }
    }
}

async fn find_or_begin(call: &Call, of: (SubmissionId, PanelId)) -> Result<Found, ApiError> {
    let transaction = call.begin().await?;
    check(call, &transaction, of).await?;
    let begun = ticket::begin(&transaction, call.guild(), of, call.now()).await?;
    let (Begun::Fresh(ticket) | Begun::Existing(ticket)) = begun;
    if let Some(channel_id) = ticket.channel_id {
        let data = Ticket { ticket_id: ticket.ticket_id, channel_id };
        let reply = Reply::data(&data)?.with_message("the submission has its ticket already");
        return Ok(Found::Open(call.commit(transaction, reply).await?));
    }
    let enqueued = match under_way(&transaction, &ticket).await? {
        Some(enqueued) => enqueued,
        None => enqueue(call, &transaction, &ticket).await?,
    };
    if let Some(slot) = &call.idempotency {
        slot.attach(&transaction, enqueued.job).await?;
    }
    transaction.commit().await?;
    Ok(Found::UnderWay(enqueued))
}

async fn check(
    call: &Call,
    transaction: &DatabaseTransaction,
    (submission, panel): (SubmissionId, PanelId),
) -> Result<(), ApiError> {
    let submission = application_submission::find(transaction, call.guild(), submission).await?;
    let submission = submission.ok_or_else(|| ApiError::not_found("submission"))?;
    if application_panel::find(transaction, call.guild(), panel).await?.is_none() {
        return Err(ApiError::not_found("panel"));
    }
    if submission.panel_id != panel {
        let message = format!("`panel_id` is not that of the submission, which is {}", submission.panel_id);
        return Err(ApiError::rule("another_panel", message));
    }
    Ok(())
}

/// The job that makes the channel. One that ended made none: then the ticket would be open.
async fn under_way(
    transaction: &DatabaseTransaction,
    ticket: &ticket::Model,
) -> Result<Option<Enqueued>, ApiError> {
    let Some(id) = ticket.job_id else { return Ok(None) };
    let job = listing::find_any(transaction, id).await?;
    let open = job.is_some_and(|job| Answer::of(&job).is_none());
    Ok(open.then_some(Enqueued::joined(id)))
}

async fn enqueue(
    call: &Call,
    transaction: &DatabaseTransaction,
    ticket: &ticket::Model,
) -> Result<Enqueued, ApiError> {
    let payload = CreateTicket { guild: call.guild(), ticket: ticket.ticket_id };
    let draft = Draft::new(call.guild(), &payload, call.actor())?;
    let enqueued = draft.enqueue(transaction, call.now()).await?;
    ticket::set_job(transaction, call.guild(), ticket.ticket_id, enqueued.job).await?;
    let metadata = json!({ "submission_id": ticket.submission_id, "panel_id": ticket.panel_id });
    call.audit(transaction, "ticket.create_requested", ticket.ticket_id, metadata).await?;
    Ok(enqueued)
}
