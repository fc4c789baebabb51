//! POST /guilds/:guildId/application-submissions (docs/rules.md 7).

use entities::application_submission::{self, NewSubmission};
use entities::{ChatId, PanelId, SubmissionId, application_panel};
use serde_json::Value;

use crate::endpoints::guilds::application_submissions::record::ApplicationSubmission;
use crate::endpoints::prelude::*;
use crate::request::values::SizedObject;

/// Bytes of the answers as JSON.
const ANSWERS_MAX: usize = 32 * 1024;

request! {
    pub(crate) struct SubmissionRequest {
        /// A number of the guild's own; absent: the service numbers the submission.
        submission_id: Option<SubmissionId>,
        panel_id: PanelId,
        /// The applicant.
        chat_id: ChatId,
        #[example(json!({ "why": "I like order" }))]
        answers: Option<SizedObject<ANSWERS_MAX>>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("createApplicationSubmission", "Add a submission")
        .body::<SubmissionRequest>()
        .data::<ApplicationSubmission>()
        .message("submission added")
        .refuses(404, &["not_found"])
        .refuses(409, &["submission_exists"])
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let SubmissionRequest { submission_id: id, panel_id: panel, chat_id: applicant, answers } =
        call.body()?;
    let answers = Value::Object(answers.unwrap_or_default().0);
    call.room_for(call.read(), Cap::Submissions, 1).await?;
    let mut work = UnitOfWork::begin(&call).await?;
    application_panel::find(work.tx(), call.guild(), panel).await?.or_not_found("panel")?;
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
