//! POST /guilds/:guildId/webhooks/:webhookId/deliveries/:deliveryId/replay (docs/rules.md 14)

use entities::job::deliveries;
use entities::{JobId, WebhookId, webhook};

use crate::endpoints::guilds::webhooks::record::{DeliveryQueued, enqueue, sent};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("replayDelivery", "Send an event once more")
        .about(
            "Whether it was taken or not; with the same `webhook-id`, now, to the webhook as it is now. A delivery of the \
             same event that has not ended is the answer instead.",
        )
        .data::<DeliveryQueued>()
        .message("delivery queued")
        .refuses(409, &["webhook_off"])
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let (id, delivery): (WebhookId, JobId) = (call.path("webhookId")?, call.path("deliveryId")?);
    let mut work = UnitOfWork::begin(&call).await?;
    let hook = webhook::find(work.tx(), call.guild(), id).await?.or_not_found("webhook")?;
    let found = deliveries::find(work.tx(), call.guild(), id, delivery).await?.or_not_found("delivery")?;
    let job = enqueue(&call, &mut work, &hook, sent(&found).and_then(|sent| sent.entry)).await?;
    work.audit("webhooks.replay", id, json!({ "delivery": delivery, "job_id": job }));
    work.commit(Reply::data(&DeliveryQueued { id: job })?.with_message("delivery queued")).await
}
