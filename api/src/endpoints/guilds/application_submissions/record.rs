//! A submission as the API shows it.

use entities::application_submission::{Model, State};
use entities::{ChatId, PanelId, SubmissionId};
use serde_json::Value;

use crate::endpoints::prelude::*;

answer! {
    pub(crate) struct ApplicationSubmission from row: Model {
        pub(crate) submission_id: SubmissionId,
        pub(crate) panel_id: PanelId,
        /// The applicant.
        pub(crate) chat_id: ChatId,
        /// Where the panel has questions, by their labels.
        #[schema(value_type = Object, example = json!({ "why": "I like order" }))]
        answers: Value,
        state: State,
        created_at: Seconds,
        #[schema(required)]
        decided_at: Option<Seconds> = row.decided_at.map(Seconds),
        /// The person, or the owner of the key.
        #[schema(required)]
        decided_by: Option<ChatId>,
        /// What the applicant was told with the decision.
        #[schema(required, example = "Welcome to the team!")]
        decision_reason: Option<String>,
    }
}
