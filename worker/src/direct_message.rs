//! `direct_message`: tells one person something about their links (docs/rules.md 11).
//!
//! A run may not know whether an earlier one sent the message: both name the job, by which the platform posts it once.

use jobs::direct_message::DirectMessage;
use platforms::{CallContext, Delivery, Platforms};
use queue::run::{Handler, JobContext, JobError, Outcome};
use serde_json::json;

use crate::errors::job_error;

pub(crate) struct Job(pub(crate) Platforms);

impl Handler for Job {
    type Payload = DirectMessage;

    async fn run(&self, job: &JobContext, message: DirectMessage) -> Result<Outcome, JobError> {
        let DirectMessage { guild, to, text, to_members } = message;
        let nonce = job.id().0.simple().to_string();
        let call = CallContext::interactive(guild);
        if to_members && self.0.chat.member(call, to).await.map_err(job_error)?.is_none() {
            return Ok(Outcome::done(json!({ "delivered": false })));
        }
        job.before_single_effect().await?;
        let delivery = self.0.chat.direct_message(call, to, &text, &nonce).await.map_err(job_error)?;
        Ok(Outcome::done(json!({ "delivered": delivery == Delivery::Sent })))
    }
}
