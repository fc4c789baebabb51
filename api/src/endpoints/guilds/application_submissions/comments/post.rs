//! POST /guilds/:guildId/application-submissions/:submissionId/comments (docs/rules.md 7).

use entities::{SubmissionId, application_comment, application_submission};

use crate::endpoints::guilds::application_submissions::comments::record::ApplicationComment;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct CommentRequest {
        #[example("Known from the events team.")]
        text: Text,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("createApplicationComment", "Say something about an application to other staff")
        .about("The applicant does not see it.")
        .body::<CommentRequest>()
        .data::<ApplicationComment>()
        .message("comment added")
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: SubmissionId = call.path("submissionId")?;
    let CommentRequest { text: Text(text) } = call.body()?;
    let mut work = UnitOfWork::begin(&call).await?;
    let about = application_submission::find_for_update(work.tx(), call.guild(), id).await?;
    let about = about.or_not_found("submission")?;
    call.caller.decides_about(about.chat_id)?;
    call.room_for(work.tx(), Cap::Comments, 1).await?;
    let added = application_comment::add(work.tx(), &about, call.caller.user(), text, work.now()).await?;
    // What is said about the applicant is personal data: the audit log does not contain it.
    let metadata = json!({ "panel_id": about.panel_id, "chat_id": about.chat_id });
    work.audit("application_submissions.comment", id, metadata);
    work.commit(Reply::data(&ApplicationComment::from(added))?.with_message("comment added")).await
}
