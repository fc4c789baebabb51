//! A comment on an application as the API shows it (docs/rules.md 7).

use entities::application_comment::Model;
use entities::{ChatId, CommentId, SubmissionId};

use crate::endpoints::prelude::*;

answer! {
    pub(crate) struct ApplicationComment from row: Model {
        pub(crate) id: CommentId = row.comment_id,
        submission_id: SubmissionId,
        /// The person, or the owner of the key.
        author_id: ChatId,
        #[schema(example = "Known from the events team.")]
        text: String = row.body.clone(),
        created_at: Seconds,
    }
}
