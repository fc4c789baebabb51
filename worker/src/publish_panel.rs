//! `publish_panel`: posts an application panel in a channel, with the button that opens its form (docs/rules.md 7).
//!
//! A run may not know whether an earlier one posted the message: both name the job, by which the platform posts it once.

use entities::application_panel;
use entities::audit_entry::NewEntry;
use jobs::kinds::PublishPanel;
use people::application_button;
use people::chat_text::plain;
use platforms::{CallContext, Platforms};
use queue::run::{Handler, JobContext, JobError, Outcome, failure};
use serde_json::json;

use crate::errors::job_error;

pub(crate) struct Job(pub(crate) Platforms);

impl Handler for Job {
    type Payload = PublishPanel;

    async fn run(&self, job: &JobContext, args: PublishPanel) -> Result<Outcome, JobError> {
        let PublishPanel { guild, panel, channel } = args;
        let found = application_panel::find(job.database().read(), guild, panel).await?;
        let Some(panel) = found.and_then(application_panel::Model::present) else {
            return Err(JobError::Fail(failure(404, "not_found", "the panel was removed")));
        };
        let text = format!("**{}**\nPress the button to apply.", plain(&panel.name));
        let button = ("Apply", application_button::id(&panel));
        let nonce = job.id().0.simple().to_string();
        job.before_single_effect().await?;
        let call = CallContext::interactive(guild);
        self.0.chat.post_button(call, channel, &text, button, &nonce).await.map_err(job_error)?;
        let audit = vec![NewEntry {
            guild,
            action: "application_panels.publish",
            target: panel.panel_id.to_string(),
            metadata: json!({ "name": panel.name, "channel_id": channel }),
        }];
        Ok(Outcome::Done { result: json!({ "channel_id": channel }), audit })
    }
}
