//! POST /guilds/:guildId/webhooks/:webhookId/rotate (docs/rules.md 14): a new secret, beside which the old one signs for a day.

use chrono::TimeDelta;
use entities::WebhookId;
use entities::webhook::{self, Model};

use crate::endpoints::guilds::webhooks::record::{Webhook, WebhookWithSecret};
use crate::endpoints::prelude::*;

const OVERLAP: TimeDelta = TimeDelta::hours(24);

pub(crate) fn operation() -> Operation {
    Operation::new("rotateWebhookSecret", "Replace the secret of a webhook")
        .about(
            "For 24 hours each message has a signature of both. The new secret is in this answer only: a request with \
             `Idempotency-Key` is refused.",
        )
        .data::<WebhookWithSecret>()
        .message("secret replaced")
        .refuses(400, &["idempotency_not_supported"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: WebhookId = call.path("webhookId")?;
    let mut work = UnitOfWork::begin(&call).await?;
    let before = webhook::find_for_update(work.tx(), call.guild(), id).await?.or_not_found("webhook")?;
    let until = work.now() + OVERLAP;
    let after = Model {
        secret: webhook::new_secret(),
        old_secret: Some(before.secret),
        old_secret_until: Some(until),
        ..before
    };
    let saved = webhook::save(work.tx(), &after).await?;
    work.audit("webhooks.rotate", id, json!({ "old_secret_until": Seconds(until) }));
    let shown = WebhookWithSecret { webhook: Webhook::new(&saved, work.now()), secret: saved.secret };
    work.commit(Reply::data(&shown)?.with_message("secret replaced")).await
}
