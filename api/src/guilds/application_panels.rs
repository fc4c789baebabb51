//! GET and POST /guilds/:guildId/application-panels (docs/rules.md 7): what people may apply for. Beyond the interface.

use entities::application_panel::{self, Model, NewPanel, StaffRoles};
use entities::{ChannelId, PanelId, RoleId, staff_role};
use serde::Serialize;
use serde_json::json;

use crate::call::Call;
use crate::fields::Text;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::time::Seconds;

/// Roles of one panel.
const STAFF_ROLES_MAX: usize = 50;

#[derive(Serialize)]
struct Panels {
    panels: Vec<Panel>,
}

#[derive(Serialize)]
struct Panel {
    panel_id: PanelId,
    name: String,
    /// The chat channel category under which tickets open.
    category_id: Option<ChannelId>,
    /// Whose holders see the tickets; null: those of all staff roles.
    staff_role_ids: Option<StaffRoles>,
    created_at: Seconds,
}

impl From<Model> for Panel {
    fn from(row: Model) -> Self {
        Self {
            panel_id: row.panel_id,
            name: row.name,
            category_id: row.category_id,
            staff_role_ids: row.staff_role_ids,
            created_at: Seconds(row.created_at),
        }
    }
}

/// By id.
pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let rows = application_panel::list(call.read(), call.guild()).await?;
    Reply::data(&Panels { panels: rows.into_iter().map(Panel::from).collect() })
}

/// Numbered by the service, unless the guild brings a number of its own.
pub(crate) async fn add(call: Call) -> Result<Reply, ApiError> {
    let new = NewPanel {
        id: call.fields.optional("panel_id")?,
        name: call.fields.required::<Text<100>>("name")?.0,
        category: call.fields.optional("category_id")?,
        staff_roles: call.fields.list::<RoleId>("staff_role_ids", STAFF_ROLES_MAX)?,
    };
    let transaction = call.begin().await?;
    let roles = new.staff_roles.as_deref().unwrap_or_default();
    if let Some(unknown) = staff_role::first_unknown(&transaction, call.guild(), roles).await? {
        let message = format!("`staff_role_ids`: {unknown} is no staff role of this guild");
        return Err(ApiError::rule("unknown_role", message));
    }
    let added = application_panel::add(&transaction, call.guild(), new, call.now()).await?;
    let panel = added.ok_or_else(|| {
        ApiError::conflict("panel_exists", "the guild has a panel with this `panel_id` already")
    })?;
    let panel = Panel::from(panel);
    call.audit(&transaction, "application_panels.add", panel.panel_id, json!({ "after": panel })).await?;
    call.commit(transaction, Reply::data(&panel)?.with_message("panel added")).await
}
