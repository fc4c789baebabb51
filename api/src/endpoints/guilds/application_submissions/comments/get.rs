//! GET /guilds/:guildId/application-submissions/:submissionId/comments (docs/rules.md 7).

use entities::{CommentId, SubmissionId, application_comment, application_submission};

use crate::endpoints::guilds::application_submissions::comments::record::ApplicationComment;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct ApplicationComments {
    comments: Vec<ApplicationComment>,
    #[schema(required)]
    next_cursor: Option<CommentId>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listApplicationComments", "What staff say about an application, newest first")
        .paged::<CommentId>()
        .data::<ApplicationComments>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: SubmissionId = call.path("submissionId")?;
    let page = call.page::<CommentId>()?;
    application_submission::find(call.read(), call.guild(), id).await?.or_not_found("submission")?;
    let rows = application_comment::list(call.read(), call.guild(), id, page.to_fetch()).await?;
    let data = |comments, next_cursor| ApplicationComments { comments, next_cursor };
    page.reply(rows, |row| row.comment_id, data)
}
