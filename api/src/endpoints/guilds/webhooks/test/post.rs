//! POST /guilds/:guildId/webhooks/:webhookId/test (docs/rules.md 14)

use entities::{WebhookId, webhook};

use crate::endpoints::guilds::webhooks::record::{DeliveryQueued, enqueue};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("testWebhook", "Send a test event")
        .about("Of the type `webhook.test`, whatever the webhook is for; also while deliveries to a receiver that fails wait.")
        .data::<DeliveryQueued>()
        .message("test queued")
        .refuses(409, &["webhook_off"])
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: WebhookId = call.path("webhookId")?;
    let mut work = UnitOfWork::begin(&call).await?;
    let hook = webhook::find(work.tx(), call.guild(), id).await?.or_not_found("webhook")?;
    let job = enqueue(&call, &mut work, &hook, None).await?;
    work.audit("webhooks.test", id, json!({ "job_id": job }));
    work.commit(Reply::data(&DeliveryQueued { id: job })?.with_message("test queued")).await
}
