//! `deliver_webhook`: sends one entry of the audit log to one webhook (docs/rules.md 14). A receiver may get it twice: a run that
//! was cut does not know. Both have the same id.
//!
//! While a receiver does not work as a whole, one delivery at a time finds out whether it does again; the others wait
//! and burn no attempt.

use std::time::Duration;

use chrono::{SecondsFormat, TimeDelta};
use entities::audit_entry::NewEntry;
use entities::webhook::{self, Model, State};
use entities::{Timestamp, audit_entry};
use jobs::webhooks::DeliverWebhook;
use platforms::{Message, Platforms};
use queue::run::{Handler, JobContext, JobError, Outcome, failure};
use serde_json::{Value, json};

pub(crate) struct Job(pub(crate) Platforms);

/// Of a receiver that has failed once; it doubles up to the longest.
const FIRST_PAUSE: TimeDelta = TimeDelta::seconds(5);
const LONGEST_PAUSE: TimeDelta = TimeDelta::minutes(5);
/// For one delivery to find out whether it works again: longer than a receiver may take (`platforms/src/receivers.rs`).
const PROBE: TimeDelta = TimeDelta::seconds(20);
/// Until another delivery looks whether one has found out, or when the clock moved between two reads.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// The answer of a receiver that is not there any more.
const GONE: u16 = 410;

impl Handler for Job {
    type Payload = DeliverWebhook;

    async fn run(&self, job: &JobContext, args: DeliverWebhook) -> Result<Outcome, JobError> {
        let found = webhook::find(job.database().write(), args.guild, args.webhook).await?;
        let Some(hook) = found else {
            return Err(JobError::Fail(failure(404, "not_found", "the webhook was removed")));
        };
        if hook.state != State::On {
            return Err(JobError::Fail(failure(409, "webhook_off", "the webhook is off")));
        }
        if args.entry.is_some() {
            wait_for_turn(job, &hook).await?;
        }
        let (id, body) = message(job, &args).await?;
        job.before_effect().await?;
        let message = Message { id: &id, at: job.now().timestamp(), body: body.to_string() };
        let sent = self.0.receivers.post(&hook.url, hook.secrets(job.now()), message).await;
        let problem = match sent {
            Ok(status @ 200..=299) => {
                works(job, &hook).await?;
                return Ok(Outcome::done(json!({ "status": status })));
            }
            Ok(GONE) => return Err(gone(job, &hook).await?),
            Ok(status) => format!("the receiver answered {status}"),
            Err(unreached) => format!("the receiver was not reached: {unreached}"),
        };
        if is_of_the_receiver(sent.ok()) {
            webhook::note(job.database().write(), &hook, Some(job.now() + pause(hook.failures))).await?;
        } else {
            works(job, &hook).await?;
        }
        let failure = failure(502, "not_delivered", problem);
        Err(JobError::RetryIn(failure, DeliverWebhook::pause(job.attempt())))
    }
}

/// A receiver that failed is left alone for a while, and then gets one delivery at a time until it works.
async fn wait_for_turn(job: &JobContext, hook: &Model) -> Result<(), JobError> {
    let now = job.now();
    let wait = if let Some(until) = hook.pause(now) {
        (until - now).to_std().unwrap_or(LOOK_AGAIN)
    } else if hook.failures == 0 || webhook::probe(job.database().write(), hook, now, now + PROBE).await? {
        return Ok(());
    } else {
        LOOK_AGAIN
    };
    let message = "the receiver failed a moment ago: this delivery waits, without an attempt";
    Err(JobError::Snooze(failure(503, "receiver_paused", message), wait))
}

async fn works(job: &JobContext, hook: &Model) -> Result<(), JobError> {
    if hook.failures > 0 {
        webhook::note(job.database().write(), hook, None).await?;
    }
    Ok(())
}

/// Whether the next delivery would fail as well: there was no answer, or one about its own state.
fn is_of_the_receiver(status: Option<u16>) -> bool {
    status.is_none_or(|status| status == 429 || status >= 500)
}

fn pause(failures: i32) -> TimeDelta {
    let doublings = u32::try_from(failures).unwrap_or(0).min(10);
    (FIRST_PAUSE * 2_i32.pow(doublings)).min(LONGEST_PAUSE)
}

async fn gone(job: &JobContext, hook: &Model) -> Result<JobError, JobError> {
    let mut work = job.begin_with_claim().await?;
    if webhook::end(work.tx(), hook.webhook_id).await? {
        let entry = NewEntry {
            guild: hook.guild_id,
            action: "webhooks.gone",
            target: hook.webhook_id.to_string(),
            metadata: json!({ "url": hook.masked_url() }),
        };
        work.audit_own([entry]);
        job.commit(work).await?;
    }
    let message = "the receiver answered 410, which switched the webhook off";
    Ok(JobError::Fail(failure(410, "receiver_gone", message)))
}

/// The id and the body. Standard Webhooks names the three fields of the body; `data` are fields of an entry as the API has
/// them.
async fn message(job: &JobContext, args: &DeliverWebhook) -> Result<(String, Value), JobError> {
    let Some(entry) = args.entry else {
        let data = json!({ "guild_id": args.guild, "webhook_id": args.webhook });
        return Ok((format!("msg_{}", job.id().0.simple()), body(&args.event, job.now(), data)));
    };
    let Some(entry) = audit_entry::find(job.database().write(), args.guild, entry).await? else {
        let message = "the entry of the audit log is older than the service keeps them";
        return Err(JobError::Fail(failure(404, "entry_deleted", message)));
    };
    let hash = entry.hash.as_ref().map(hex::encode);
    // The hash is of this entry alone, also after a restore that numbers other entries alike.
    let id = hash.as_ref().map_or_else(|| entry.audit_id.to_string(), |hash| hash[..32].to_owned());
    let data = json!({
        "id": entry.audit_id,
        "guild_id": entry.guild_id,
        "source": entry.source,
        "actor_id": entry.actor_id.to_string(),
        "target_id": entry.target_id,
        "metadata": entry.metadata,
        "key_id": entry.key_id,
        "request_id": entry.request_id,
        "position": entry.position,
        "hash": hash,
    });
    Ok((format!("msg_{id}"), body(&args.event, entry.created_at, data)))
}

fn body(event: &str, at: Timestamp, data: Value) -> Value {
    json!({ "type": event, "timestamp": at.to_rfc3339_opts(SecondsFormat::Secs, true), "data": data })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_is_left_alone_for_longer_each_time() {
        let seconds: Vec<i64> = (0..8).map(|failures| pause(failures).num_seconds()).collect();
        assert_eq!(seconds, [5, 10, 20, 40, 80, 160, 300, 300]);
        assert_eq!(pause(i32::MAX), LONGEST_PAUSE);
    }

    #[test]
    fn an_answer_about_one_event_pauses_no_other() {
        for status in [None, Some(429), Some(500), Some(503)] {
            assert!(is_of_the_receiver(status), "{status:?}");
        }
        for status in [301, 400, 401, 404, 422].map(Some) {
            assert!(!is_of_the_receiver(status), "{status:?}");
        }
    }
}
