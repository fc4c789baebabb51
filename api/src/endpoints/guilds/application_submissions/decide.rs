//! Shared by accepting and refusing a submission. Each is decided once; an acceptance gives the panel's role in a job of the
//! same transaction (docs/rules.md 7).

use entities::application_submission::{self, Model, State};
use entities::{JobId, SubmissionId, application_panel, guild};
use jobs::direct_message::DirectMessage;
use jobs::kinds::AssignRole;
use queue::Draft;

use crate::endpoints::guilds::application_submissions::record::ApplicationSubmission;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct DecidedSubmission {
    submission: ApplicationSubmission,
    /// The job that gives the role of the panel. Null: there is none.
    #[schema(required)]
    role_job_id: Option<JobId>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Decision {
    Accept,
    Refuse,
}

impl Decision {
    /// The state that follows, the action of the audit entry, and the participle.
    fn words(self) -> (State, &'static str, &'static str) {
        match self {
            Self::Accept => (State::Accepted, "application_submissions.accept", "accepted"),
            Self::Refuse => (State::Refused, "application_submissions.refuse", "refused"),
        }
    }
}

pub(crate) fn describe(operation: Operation) -> Operation {
    operation.data::<DecidedSubmission>().refuses(409, &["already_accepted", "already_refused"])
}

pub(crate) async fn decide(call: Call, decision: Decision, reason: Option<Text>) -> Result<Reply, ApiError> {
    let id: SubmissionId = call.path("submissionId")?;
    let (state, action, word) = decision.words();
    let mut work = UnitOfWork::begin(&call).await?;
    let before = application_submission::find_for_update(work.tx(), call.guild(), id).await?;
    let before = before.or_not_found("submission")?;
    call.caller.decides_about(before.chat_id)?;
    if before.state == state {
        let data = DecidedSubmission { submission: before.into(), role_job_id: None };
        return Ok(Reply::data(&data)?.with_message(format!("this application is already {word}")));
    }
    check_open(before.state)?;
    let (decided_at, decided_by) = (Some(work.now()), Some(call.caller.user()));
    let decision_reason = reason.map(|Text(reason)| reason);
    let after = Model { state, decided_at, decided_by, decision_reason, ..before };
    let after = application_submission::save(work.tx(), &after).await?;
    let role_job_id = take_effect(&call, &mut work, &after, word).await?;
    let metadata =
        json!({ "panel_id": after.panel_id, "chat_id": after.chat_id, "reason": after.decision_reason });
    work.audit(action, id, metadata);
    let data = DecidedSubmission { submission: after.into(), role_job_id };
    work.commit(Reply::data(&data)?.with_message(format!("application {word}"))).await
}

fn check_open(state: State) -> Result<(), ApiError> {
    match state {
        State::Open => Ok(()),
        State::Accepted => {
            Err(ApiError::conflict("already_accepted", "this application is already accepted"))
        }
        State::Refused => Err(ApiError::conflict("already_refused", "this application is already refused")),
    }
}

/// Tells the applicant. The role was checked for whoever chose it for the panel, so it does not depend on who accepts.
async fn take_effect(
    call: &Call,
    work: &mut UnitOfWork<'_>,
    decided: &Model,
    word: &str,
) -> Result<Option<JobId>, ApiError> {
    let (guild, user) = (call.guild(), decided.chat_id);
    let panel = application_panel::find(work.tx(), guild, decided.panel_id).await?.or_not_found("panel")?;
    let mut job = None;
    if let (State::Accepted, Some(role)) = (decided.state, panel.accept_role_id) {
        let payload = AssignRole { guild, user, role, by: None };
        job = Some(Draft::new(guild, &payload, call.actor())?.enqueue(work).await?.job);
    }
    let name = guild::find(work.tx(), guild).await?.or_not_found("guild")?.name;
    let mut text = format!("Your application for {} in {name} was {word}.", panel.name);
    if let Some(reason) = &decided.decision_reason {
        text = format!("{text}\n\n{reason}");
    }
    DirectMessage { guild, to: user, text, to_members: true }.enqueue(work, call.actor()).await?;
    Ok(job)
}
