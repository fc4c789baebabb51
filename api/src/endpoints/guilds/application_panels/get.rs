//! GET /guilds/:guildId/application-panels (docs/rules.md 7).

use entities::application_panel;

use crate::endpoints::guilds::application_panels::record::ApplicationPanel;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct ApplicationPanels {
    panels: Vec<ApplicationPanel>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listApplicationPanels", "What people may apply for")
        .about("By `panel_id`.")
        .data::<ApplicationPanels>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let rows = application_panel::list(call.read(), call.guild()).await?;
    Reply::data(&ApplicationPanels { panels: rows.into_iter().map(ApplicationPanel::from).collect() })
}
