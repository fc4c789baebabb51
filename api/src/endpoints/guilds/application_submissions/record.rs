//! A submission as the API shows it.

use entities::application_submission::Model;
use entities::{ChatId, PanelId, SubmissionId};
use serde_json::Value;

use crate::endpoints::prelude::*;

answer! {
    pub(crate) struct ApplicationSubmission from row: Model {
        pub(crate) submission_id: SubmissionId,
        pub(crate) panel_id: PanelId,
        /// The applicant.
        pub(crate) chat_id: ChatId,
        #[schema(value_type = Object, example = json!({ "why": "I like order" }))]
        answers: Value,
        created_at: Seconds,
    }
}
