//! POST /guilds/:guildId/application-panels (docs/rules.md 7).

use entities::application_panel::{self, NewPanel};
use entities::{ChannelId, PanelId, RoleId, staff_role};

use crate::endpoints::guilds::application_panels::record::ApplicationPanel;
use crate::endpoints::prelude::*;
use crate::request::values::List;

/// Roles of one panel.
const STAFF_ROLES_MAX: usize = 50;

request! {
    pub(crate) struct PanelRequest {
        /// A number of the guild's own; absent: the service numbers the panel.
        panel_id: Option<PanelId>,
        #[example("Moderator")]
        name: Text<100>,
        /// The category of chat channels under which tickets open.
        category_id: Option<ChannelId>,
        /// Staff roles whose holders see the tickets. Null: all of them.
        staff_role_ids: Option<List<RoleId, STAFF_ROLES_MAX>>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("createApplicationPanel", "Add a panel")
        .body::<PanelRequest>()
        .data::<ApplicationPanel>()
        .message("panel added")
        .refuses(409, &["panel_exists"])
        .refuses(422, &["unknown_role", "too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let PanelRequest { panel_id: id, name: Text(name), category_id: category, staff_role_ids } =
        call.body()?;
    let staff_roles = staff_role_ids.map(|roles| roles.0);
    let mut work = UnitOfWork::begin(&call).await?;
    call.room_for(work.tx(), Cap::Panels, 1).await?;
    let roles = staff_roles.as_deref().unwrap_or_default();
    if let Some(unknown) = staff_role::first_unknown(work.tx(), call.guild(), roles).await? {
        let message = format!("`staff_role_ids`: {unknown} is no staff role of this guild");
        return Err(ApiError::rule("unknown_role", message));
    }
    let new = NewPanel { id, name, category, staff_roles };
    let added = application_panel::add(work.tx(), call.guild(), new, work.now()).await?;
    let panel = added.map(ApplicationPanel::from).ok_or_else(|| {
        ApiError::conflict("panel_exists", "the guild has a panel with this `panel_id` already")
    })?;
    work.audit("application_panels.add", panel.panel_id, json!({ "after": panel }));
    work.commit(Reply::data(&panel)?.with_message("panel added")).await
}
