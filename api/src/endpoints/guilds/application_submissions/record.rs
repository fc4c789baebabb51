//! A submission as the API shows it.

use entities::application_submission::Model;
use entities::{ChatId, PanelId, SubmissionId};
use serde_json::Value;

use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct ApplicationSubmission {
    pub(crate) submission_id: SubmissionId,
    pub(crate) panel_id: PanelId,
    /// The applicant.
    pub(crate) chat_id: ChatId,
    #[schema(value_type = Object, example = json!({ "why": "I like order" }))]
    answers: Value,
    created_at: Seconds,
}

impl From<Model> for ApplicationSubmission {
    fn from(row: Model) -> Self {
        Self {
            submission_id: row.submission_id,
            panel_id: row.panel_id,
            chat_id: row.chat_id,
            answers: row.answers,
            created_at: Seconds(row.created_at),
        }
    }
}
