//! POST /guilds/:guildId/application-submissions (docs/rules.md 7).

use entities::application_submission::{self, NewSubmission};
use entities::{ChatId, PanelId, SubmissionId};
use people::Needs;
use serde_json::Value;

use crate::endpoints::guilds::application_panels::checks::locked;
use crate::endpoints::guilds::application_submissions::record::ApplicationSubmission;
use crate::endpoints::prelude::*;
use crate::request::values::SizedObject;

/// Bytes of the answers as JSON.
const ANSWERS_MAX: usize = 64 * 1024;

request! {
    pub(crate) struct SubmissionRequest {
        /// A number of the guild's own; absent: the service numbers the submission.
        submission_id: Option<SubmissionId>,
        panel_id: PanelId,
        /// The applicant. People apply for themselves.
        chat_id: ChatId,
        /// Where the panel has questions, by their labels: texts, and true or false for `agree`.
        #[example(json!({ "why": "I like order" }))]
        answers: Option<SizedObject<ANSWERS_MAX>>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("createApplicationSubmission", "Add a submission")
        .body::<SubmissionRequest>()
        .data::<ApplicationSubmission>()
        .message("submission added")
        .refuses(404, &["not_found", "not_a_member"])
        .refuses(409, &["submission_exists", "application_open", "panel_closed"])
        .refuses(422, &["too_many", "answer_refused"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let SubmissionRequest { submission_id: id, panel_id: panel, chat_id: applicant, answers } =
        call.body()?;
    call.caller.acts_for(applicant, Needs::Admin)?;
    call.caller.require_member()?;
    call.room_for(call.read(), Cap::Submissions, 1).await?;
    let mut work = UnitOfWork::begin(&call).await?;
    let of = locked(&call, &work, panel).await?;
    if !of.is_open {
        return Err(ApiError::conflict("panel_closed", "this panel takes no applications at the moment"));
    }
    let answers = of.questions.check(answers.unwrap_or_default().0);
    let answers = answers.map_err(|why| ApiError::rule("answer_refused", format!("`answers`: {why}")))?;
    let answers = Value::Object(answers);
    if let Some(open) = application_submission::open_of(work.tx(), call.guild(), panel, applicant).await?
        && id.is_none_or(|id| id != open)
    {
        let message = format!("this person has an open application for this panel already: number {open}");
        return Err(ApiError::conflict("application_open", message));
    }
    let new = NewSubmission { id, panel, applicant, answers };
    let added = application_submission::add(work.tx(), call.guild(), new, work.now()).await?;
    let submission = added.map(ApplicationSubmission::from).ok_or_else(|| {
        let message = "the guild has a submission with this `submission_id` already";
        ApiError::conflict("submission_exists", message)
    })?;
    // The answers are personal data: the audit log does not contain them.
    let after = json!({ "panel_id": submission.panel_id, "chat_id": submission.chat_id });
    work.audit("application_submissions.add", submission.submission_id, json!({ "after": after }));
    work.commit(Reply::data(&submission)?.with_message("submission added")).await
}
