//! The bot's application, and the platform's clock.

use entities::Timestamp;
use reqwest::Method;

use super::ChatPlatform;
use crate::chat::Application;
use crate::context::CallContext;
use crate::error::Result;
use crate::routes::chat as routes;

impl ChatPlatform {
    /// The bot's application.
    pub async fn application(&self, call: CallContext) -> Result<Application> {
        let request = self.request(Method::GET, routes::APPLICATION, "/applications/@me")?;
        self.wire.json(call, &request).await
    }

    /// The platform's time, in whole seconds; `None`: it does not say.
    pub(crate) async fn time(&self, call: CallContext) -> Result<Option<Timestamp>> {
        let request = self.request(Method::GET, routes::CURRENT_USER, "/users/@me")?;
        self.wire.time(call, &request).await
    }
}
