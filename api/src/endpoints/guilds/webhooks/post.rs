//! POST /guilds/:guildId/webhooks (docs/rules.md 14): the secret is in this answer and nowhere else.

use entities::webhook::{self, NewWebhook};

use crate::endpoints::guilds::webhooks::record::{
    Events, Noted, URL_MAX, Webhook, WebhookWithSecret, check_url, chosen,
};
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct WebhookRequest {
        /// Takes POST requests; https, at a public host.
        #[example("https://example.org/guildhall")]
        url: Text<URL_MAX>,
        /// What it is for: at least one.
        events: Events,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("createWebhook", "Add a webhook")
        .about(
            "It gets what happens from now on. Its secret is in this answer only: a request with `Idempotency-Key` is \
             refused.",
        )
        .body::<WebhookRequest>()
        .data::<WebhookWithSecret>()
        .message("webhook added")
        .refuses(400, &["idempotency_not_supported"])
        .refuses(422, &["url_refused", "no_events", "too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let WebhookRequest { url: Text(url), events } = call.body()?;
    check_url(&call, &url)?;
    let new = NewWebhook { url, events: chosen(&events)?, secret: webhook::new_secret() };
    let mut work = UnitOfWork::begin(&call).await?;
    call.room_for(work.tx(), Cap::Webhooks, 1).await?;
    let row = webhook::add(work.tx(), call.guild(), new, work.now()).await?;
    work.audit("webhooks.add", row.webhook_id, json!({ "after": Noted::from(&row) }));
    let added = WebhookWithSecret { webhook: Webhook::new(&row, work.now()), secret: row.secret };
    work.commit(Reply::data(&added)?.with_message("webhook added")).await
}
