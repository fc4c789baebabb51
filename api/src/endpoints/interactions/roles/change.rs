//! Shared by assigning and removing a role by hand.

use entities::{ChatId, RoleId};
use serde_json::{Value, json};

use crate::job_call::Asked;
use crate::request::parts::request;
use crate::response::reply::Reply;

request! {
    pub(crate) struct RoleChange {
        user_id: ChatId,
        role_id: RoleId,
    }
}

impl RoleChange {
    pub(crate) fn asked(&self, action: &'static str) -> Asked {
        Asked { action, target: self.user_id.to_string(), metadata: json!({ "role_id": self.role_id }) }
    }
}

/// The worker's message names the role.
pub(crate) fn reply(result: &Value) -> Reply {
    let message = result.get("message").and_then(Value::as_str).unwrap_or("done");
    Reply::message(message.to_owned())
}
