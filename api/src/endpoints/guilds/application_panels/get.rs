//! GET /guilds/:guildId/application-panels (docs/rules.md 7).

use entities::{PanelId, application_panel};

use crate::endpoints::guilds::application_panels::record::ApplicationPanel;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct ApplicationPanels {
    panels: Vec<ApplicationPanel>,
    /// Null on the last page.
    #[schema(required)]
    next_cursor: Option<PanelId>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listApplicationPanels", "What people may apply for")
        .about("By `panel_id`; pages are newest first.")
        .paged_if_asked::<PanelId>()
        .data::<ApplicationPanels>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page_or_whole::<PanelId>()?;
    let rows = application_panel::list(call.read(), call.guild()).await?;
    let rows = page.newest_of(rows, |row| row.panel_id);
    page.reply(rows, |row| row.panel_id, |panels, next_cursor| ApplicationPanels { panels, next_cursor })
}
