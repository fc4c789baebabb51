//! GET /guilds/:guildId/webhooks (docs/rules.md 14)

use entities::webhook;

use crate::endpoints::guilds::webhooks::record::Webhook;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct Webhooks {
    webhooks: Vec<Webhook>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listWebhooks", "Webhooks, oldest first")
        .about("Never with their secrets.")
        .data::<Webhooks>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let (rows, now) = (webhook::list(call.read(), call.guild()).await?, call.now());
    Reply::data(&Webhooks { webhooks: rows.iter().map(|row| Webhook::new(row, now)).collect() })
}
