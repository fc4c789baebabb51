//! PATCH /guilds/:guildId/webhooks/:webhookId (docs/rules.md 14)

use entities::WebhookId;
use entities::webhook::{self, Model, State};

use crate::endpoints::audit;
use crate::endpoints::guilds::webhooks::record::{Events, Noted, URL_MAX, Webhook, check_url, chosen};
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct WebhookPatch {
        #[example("https://example.org/guildhall")]
        url: Patch<Text<URL_MAX>>,
        /// The whole list.
        events: Patch<Events>,
        /// Off: nothing is sent, and open deliveries fail. What happens meanwhile is not sent later.
        #[example(true)]
        enabled: Patch<bool>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("updateWebhook", "Change a webhook, or switch it on or off")
        .about("At least one field; the others stay.")
        .body::<WebhookPatch>()
        .data::<Webhook>()
        .message("webhook updated")
        .refuses(422, &["url_refused", "no_events"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: WebhookId = call.path("webhookId")?;
    let WebhookPatch { url, events, enabled } = call.patch()?;
    let (url, events) = (url.0.map(|Text(url)| url), events.0.map(|events| chosen(&events)).transpose()?);
    if let Some(url) = &url {
        check_url(&call, url)?;
    }
    let mut work = UnitOfWork::begin(&call).await?;
    let before = webhook::find_for_update(work.tx(), call.guild(), id).await?.or_not_found("webhook")?;
    let mut after = match enabled.0 {
        Some(true) if before.state != State::On => before.clone().start_here(work.tx()).await?,
        Some(false) if before.state == State::On => Model { state: State::Off, ..before.clone() },
        _ => before.clone(),
    };
    if let Some(url) = url.filter(|url| *url != before.url) {
        // Another receiver.
        after = Model { url, failures: 0, paused_until: None, ..after };
    }
    after.events = events.unwrap_or(after.events);
    let Some(changes) = audit::changes(&Noted::from(&before), &Noted::from(&after))? else {
        let reply = Reply::data(&Webhook::new(&before, work.now()))?;
        return Ok(reply.with_message("nothing to change: the webhook is like that already"));
    };
    let saved = webhook::save(work.tx(), &after).await?;
    work.audit("webhooks.update", id, changes);
    let reply = Reply::data(&Webhook::new(&saved, work.now()))?.with_message("webhook updated");
    work.commit(reply).await
}
