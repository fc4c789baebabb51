//! A webhook as the API shows it, never with its secret; its URL and events in requests; its deliveries.

use std::borrow::Cow;

use entities::audit_entry;
use entities::job::{self, Failure, Status};
use entities::webhook::{self, Model, State};
use entities::{AuditId, JobId, WebhookId};
use jobs::webhooks::{DeliverWebhook, TEST_EVENT};
use serde::Deserialize;
use serde_json::Value;

use crate::endpoints::prelude::*;
use crate::request::parts::Field;
use crate::request::values::List;
use crate::schema::shape::{self, Shape};

/// Longer ones than browsers and servers agree on are of no use.
pub(crate) const URL_MAX: usize = 2_000;

answer! {
    pub(crate) struct Webhook from row: Model, at now {
        id: WebhookId = row.webhook_id,
        #[schema(example = "https://example.org/guildhall")]
        url: String,
        /// `*`: all events; `custom`: entries that clients append; else areas of actions, or actions.
        #[schema(example = json!(["moderation", "links.add"]))]
        events: Vec<String> = row.event_words().map(str::to_owned).collect(),
        /// `gone`: the receiver answered 410, which switched the webhook off.
        state: State,
        /// In a row, of the receiver as a whole: no answer, or 429, or 500 and above.
        #[schema(minimum = 0, example = 0)]
        failures: i32,
        /// While the receiver fails: when it is tried again. Deliveries wait until then.
        #[schema(required)]
        paused_until: Option<Seconds> = row.pause(now).map(Seconds),
        created_at: Seconds,
    }
}

/// A webhook with its secret, which no later answer repeats.
#[derive(Serialize, ToSchema)]
pub(crate) struct WebhookWithSecret {
    #[serde(flatten)]
    pub(crate) webhook: Webhook,
    /// Signs what is sent: `whsec_` and the key in base64. Shown only here.
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=")]
    pub(crate) secret: String,
}

/// One event, or area of events, that a webhook is for.
#[derive(Debug)]
pub(crate) struct EventWord(&'static str);

impl Field for EventWord {
    fn allowed() -> Cow<'static, str> {
        "`*`, `custom`, an area of audit actions such as `moderation`, or an action such as `moderation.ban`"
            .into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let sent = sent.as_str()?;
        webhook::event_words().into_iter().find(|word| *word == sent).map(Self)
    }

    fn shape() -> Shape {
        shape::word(&webhook::event_words()).example("moderation")
    }
}

pub(crate) type Events = List<EventWord, 50>;

/// The events as they are stored, each once.
pub(crate) fn chosen(events: &Events) -> Result<String, ApiError> {
    let mut words: Vec<_> = events.0.iter().map(|event| event.0).collect();
    words.sort_unstable();
    words.dedup();
    if words.is_empty() {
        return Err(ApiError::rule("no_events", "`events` must name at least one"));
    }
    Ok(words.join(" "))
}

pub(crate) fn check_url(call: &Call, url: &str) -> Result<(), ApiError> {
    call.state.platforms.receivers.check(url).map_err(|problem| {
        let text =
            format!("`url` must be an https URL of a public host, without user and fragment; {problem}");
        ApiError::rule("url_refused", text)
    })
}

/// What an audit entry says of a webhook.
#[derive(Serialize)]
pub(crate) struct Noted<'w> {
    url: String,
    events: Vec<&'w str>,
    state: State,
}

impl<'w> From<&'w Model> for Noted<'w> {
    fn from(row: &'w Model) -> Self {
        Self { url: row.masked_url(), events: row.event_words().collect(), state: row.state }
    }
}

answer! {
    pub(crate) struct Delivery from row: job::Model, at now {
        /// A job: `DELETE /jobs/:jobId` cancels it, `POST /jobs/:jobId/retry` tries it at once.
        pub(crate) id: JobId = row.job_id,
        state: Status = row.status(now),
        /// The action of the entry, or `webhook.test`.
        #[schema(example = "moderation.ban")]
        event: String = sent(row).map(|sent| sent.event).unwrap_or_default(),
        /// The audit entry that is sent; null: a test.
        #[schema(required)]
        entry_id: Option<AuditId> = sent(row).and_then(|sent| sent.entry),
        #[schema(minimum = 0, example = 1)]
        attempts: i32 = row.attempt,
        /// The HTTP status of the receiver's answer, once it took the event.
        #[schema(required, example = 204)]
        status: Option<i64> = row.result.as_ref().and_then(|result| result["status"].as_i64()),
        /// Of the last attempt, until one succeeds.
        #[schema(required)]
        error: Option<Failure> = row.failure(),
        created_at: Seconds,
        #[schema(required)]
        finished_at: Option<Seconds> = row.finished_at.map(Seconds),
        /// When an unfinished delivery is tried next.
        #[schema(required)]
        next_attempt_at: Option<Seconds> = row.finished_at.is_none().then_some(Seconds(row.run_at)),
    }
}

/// What a delivery sends.
pub(crate) fn sent(row: &job::Model) -> Option<DeliverWebhook> {
    DeliverWebhook::deserialize(&row.args).ok()
}

/// Enqueues a test (no entry) or a replay. An open delivery of the same event is joined.
pub(crate) async fn enqueue(
    call: &Call,
    work: &mut UnitOfWork<'_>,
    hook: &Model,
    entry: Option<AuditId>,
) -> Result<JobId, ApiError> {
    if hook.state != State::On {
        return Err(ApiError::conflict("webhook_off", "the webhook is off: switch it on first"));
    }
    let event = match entry {
        Some(entry) => {
            audit_entry::find(work.tx(), call.guild(), entry).await?.or_not_found("audit entry")?.action
        }
        None => TEST_EVENT.to_owned(),
    };
    call.room_for(work.tx(), Cap::Jobs, 1).await?;
    let payload = DeliverWebhook { guild: call.guild(), webhook: hook.webhook_id, event, entry };
    Ok(payload.draft(call.actor())?.enqueue(work).await?.job)
}

/// The job of a test or a replay.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeliveryQueued {
    pub(crate) id: JobId,
}
