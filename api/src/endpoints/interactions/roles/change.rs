//! Shared by assigning and removing a role by hand.

use entities::{ChatId, RoleId};
use queue::Payload;
use serde_json::Value;

use crate::call::job::{self, Asked};
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct RoleChange {
        user_id: ChatId,
        role_id: RoleId,
    }
}

impl RoleChange {
    /// The worker's message names the role.
    pub(crate) async fn run<P: Payload>(
        &self,
        call: &Call,
        payload: &P,
        action: &'static str,
    ) -> Result<Reply, ApiError> {
        let metadata = json!({ "role_id": self.role_id });
        let asked = Asked { action, target: self.user_id.to_string(), metadata };
        let done = |result: Value| {
            let message = result.get("message").and_then(Value::as_str).unwrap_or("done");
            Ok(Reply::message(message.to_owned()))
        };
        job::run(call, payload, asked, done).await
    }
}
