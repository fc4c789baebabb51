//! The bot's application, and the platform's clock.

use entities::Timestamp;
use reqwest::Method;
use runtime::CHAT_TOKEN;

use super::ChatPlatform;
use crate::chat::{Application, Gateway};
use crate::context::CallContext;
use crate::error::{PlatformError, Result};
use crate::routes::chat as routes;

impl ChatPlatform {
    /// The bot's application.
    pub async fn application(&self, call: CallContext) -> Result<Application> {
        let request = self.request(Method::GET, routes::APPLICATION, "/applications/@me")?;
        self.wire.json(call, &request).await
    }

    /// Where the event stream is, and how many sessions may still be started.
    pub(crate) async fn gateway(&self, call: CallContext) -> Result<Gateway> {
        let request = self.request(Method::GET, routes::GATEWAY, "/gateway/bot")?;
        self.wire.json(call, &request).await
    }

    /// The token of the bot, which the event stream is told.
    pub fn token(&self) -> Result<&str> {
        let credential = self.credential.as_ref().ok_or(PlatformError::NotConfigured(CHAT_TOKEN))?;
        credential.to_str().map_err(|_| PlatformError::NotConfigured(CHAT_TOKEN))
    }

    /// The platform's time, in whole seconds; `None`: it does not say.
    pub(crate) async fn time(&self, call: CallContext) -> Result<Option<Timestamp>> {
        let request = self.request(Method::GET, routes::CURRENT_USER, "/users/@me")?;
        self.wire.time(call, &request).await
    }
}
