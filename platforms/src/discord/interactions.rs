//! Commands of the chat platform: the list that people see, and answers that are changed later.

use entities::ChatId;
use reqwest::Method;
use serde_json::Value;

use super::ChatPlatform;
use crate::context::CallContext;
use crate::error::{PlatformError, Result};
use crate::routes::chat as routes;
use crate::wire::Request;

/// The platform's code of a refusal: the interaction has an answer.
const ANSWERED: i64 = 40_060;

impl ChatPlatform {
    pub(crate) async fn commands(&self, call: CallContext, application: ChatId) -> Result<Vec<Value>> {
        let request = self.request(Method::GET, routes::COMMANDS, &commands_path(application))?;
        self.wire.json(call, &request).await
    }

    pub(crate) async fn put_commands(
        &self,
        call: CallContext,
        application: ChatId,
        commands: Value,
    ) -> Result<()> {
        let request = self.request(Method::PUT, routes::PUT_COMMANDS, &commands_path(application))?;
        self.wire.send(call, &request.body(commands)).await.map(drop)
    }

    /// Answers an interaction that came by the event stream, within 3 s of it; its `token` is the credential. Counts for none of
    /// the bot's limits. Sent again, it changes nothing. `NotFound`: too late.
    pub async fn answer(&self, interaction: u64, token: &str, answer: Value) -> Result<()> {
        let url = format!("{}/interactions/{interaction}/{token}/callback", self.base);
        let request = Request::new(Method::POST, routes::ANSWER, url).body(answer);
        match self.wire.send_unpaced(&request).await {
            Ok(_) | Err(PlatformError::Invalid { code: ANSWERED, .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Changes the answer to an interaction, whose `token` is the credential; it ends 15 minutes after the interaction. Counts
    /// for none of the bot's limits. `NotFound` until the platform has the first answer.
    pub async fn edit_answer(&self, application: ChatId, token: &str, message: Value) -> Result<()> {
        let url = format!("{}/webhooks/{application}/{token}/messages/@original", self.base);
        let request = Request::new(Method::PATCH, routes::EDIT_ANSWER, url).body(message);
        self.wire.send_unpaced(&request).await.map(drop)
    }

    /// Another message in answer to the same interaction.
    pub async fn follow_answer(&self, application: ChatId, token: &str, message: Value) -> Result<()> {
        let url = format!("{}/webhooks/{application}/{token}", self.base);
        let request = Request::new(Method::POST, routes::FOLLOW_ANSWER, url).body(message);
        self.wire.send_unpaced(&request).await.map(drop)
    }
}

fn commands_path(application: ChatId) -> String {
    format!("/applications/{application}/commands")
}
