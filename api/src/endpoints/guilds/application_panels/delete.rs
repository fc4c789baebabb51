//! DELETE /guilds/:guildId/application-panels/:panelId (docs/rules.md 7).

use entities::{PanelId, application_panel};

use crate::endpoints::guilds::application_panels::checks::locked;
use crate::endpoints::guilds::application_panels::record::ApplicationPanel;
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("deleteApplicationPanel", "Remove a panel")
        .about("Its submissions and tickets stay, and are decided as before. Its number is not given again while they do.")
        .message("panel removed")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: PanelId = call.path("panelId")?;
    let mut work = UnitOfWork::begin(&call).await?;
    let before = locked(&call, &work, id).await?;
    let metadata = json!({ "before": ApplicationPanel::from(&before) });
    application_panel::remove(work.tx(), before, work.now()).await?;
    work.audit("application_panels.remove", id, metadata);
    work.commit(Reply::message("panel removed")).await
}
