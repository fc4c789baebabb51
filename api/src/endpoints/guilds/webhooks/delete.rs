//! DELETE /guilds/:guildId/webhooks/:webhookId (docs/rules.md 14)

use entities::{WebhookId, webhook};

use crate::endpoints::guilds::webhooks::record::Noted;
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("removeWebhook", "Remove a webhook")
        .about("Its open deliveries fail; the past ones are no longer listed here, but as jobs.")
        .message("webhook removed")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: WebhookId = call.path("webhookId")?;
    let mut work = UnitOfWork::begin(&call).await?;
    let removed = webhook::delete(work.tx(), call.guild(), id).await?.or_not_found("webhook")?;
    work.audit("webhooks.remove", id, json!({ "before": Noted::from(&removed) }));
    work.commit(Reply::message("webhook removed")).await
}
