//! A panel as the API shows it.

use entities::application_panel::Model;
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
        created_at: Seconds,
    }
}
