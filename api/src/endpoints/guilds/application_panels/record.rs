//! A panel as the API shows it.

use entities::application_panel::Model;
use entities::{ChannelId, PanelId, RoleId};

use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct ApplicationPanel {
    pub(crate) panel_id: PanelId,
    #[schema(example = "Moderator")]
    name: String,
    /// The category of chat channels under which tickets open.
    #[schema(required)]
    category_id: Option<ChannelId>,
    /// Roles whose holders see the tickets; null: all staff roles.
    #[schema(required)]
    staff_role_ids: Option<Vec<RoleId>>,
    created_at: Seconds,
}

impl From<Model> for ApplicationPanel {
    fn from(row: Model) -> Self {
        Self {
            panel_id: row.panel_id,
            name: row.name,
            category_id: row.category_id,
            staff_role_ids: row.staff_role_ids.map(|roles| roles.0),
            created_at: Seconds(row.created_at),
        }
    }
}
