//! GET /guilds/:guildId/webhooks/:webhookId/deliveries (docs/rules.md 14)

use entities::job::deliveries;
use entities::{JobId, WebhookId, webhook};

use crate::endpoints::guilds::webhooks::record::Delivery;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct Deliveries {
    deliveries: Vec<Delivery>,
    #[schema(required)]
    next_cursor: Option<JobId>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listDeliveries", "Deliveries of a webhook, newest first")
        .paged::<JobId>()
        .data::<Deliveries>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: WebhookId = call.path("webhookId")?;
    let page = call.page::<JobId>()?;
    webhook::find(call.read(), call.guild(), id).await?.or_not_found("webhook")?;
    let rows = deliveries::list(call.read(), call.guild(), id, page.to_fetch()).await?;
    let deliveries = rows.iter().map(|row| Delivery::new(row, call.now())).collect();
    page.reply(
        deliveries,
        |delivery: &Delivery| delivery.id,
        |deliveries, next_cursor| Deliveries { deliveries, next_cursor },
    )
}
