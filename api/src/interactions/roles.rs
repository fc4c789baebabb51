//! POST /interactions/roles/assign and POST /interactions/roles/remove

use entities::{ChatId, RoleId};
use queue::kinds::{AssignRole, RemoveRole};
use serde_json::{Value, json};

use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::job_call::{self, Asked};

pub(crate) async fn assign(call: Call) -> Result<Reply, ApiError> {
    let (user, role) = who_and_what(&call)?;
    let payload = AssignRole { guild: call.guild(), user, role };
    job_call::run(&call, &payload, asked("roles.assign_requested", user, role), |result| Ok(told(&result)))
        .await
}

pub(crate) async fn remove(call: Call) -> Result<Reply, ApiError> {
    let (user, role) = who_and_what(&call)?;
    let payload = RemoveRole { guild: call.guild(), user, role };
    job_call::run(&call, &payload, asked("roles.remove_requested", user, role), |result| Ok(told(&result)))
        .await
}

/// The worker says what it did, by the role's name.
fn told(result: &Value) -> Reply {
    let message = result.get("message").and_then(Value::as_str).unwrap_or("done");
    Reply::message(message.to_owned())
}

fn who_and_what(call: &Call) -> Result<(ChatId, RoleId), ApiError> {
    Ok((call.fields.required("user_id")?, call.fields.required("role_id")?))
}

fn asked(action: &'static str, user: ChatId, role: RoleId) -> Asked {
    Asked { action, target: user.to_string(), metadata: json!({ "role_id": role }) }
}
