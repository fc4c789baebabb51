//! A panel as the API shows it.

use entities::application_panel::{Model, Question};
use entities::{ChannelId, PanelId, RoleId};

use crate::endpoints::prelude::*;

answer! {
    pub(crate) struct ApplicationPanel from row: Model {
        pub(crate) panel_id: PanelId,
        #[schema(example = "Moderator")]
        name: String,
        /// The category of chat channels under which tickets open.
        #[schema(required)]
        category_id: Option<ChannelId>,
        /// Roles whose holders see the tickets; null: all staff roles.
        #[schema(required)]
        staff_role_ids: Option<Vec<RoleId>> = row.staff_role_ids.as_ref().map(|roles| roles.0.clone()),
        questions: Vec<Question> = row.questions.0.clone(),
        /// The chat role that an acceptance gives.
        #[schema(required)]
        accept_role_id: Option<RoleId>,
        /// Takes submissions.
        open: bool = row.is_open,
        created_at: Seconds,
    }
}
