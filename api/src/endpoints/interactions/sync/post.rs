//! POST /interactions/sync

use entities::{ChatId, RoleId, link};
use jobs::kinds::SyncMember;
use people::Needs;
use serde::{Deserialize, Serialize};

use crate::call::job::{self, Asked};
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct SyncRequest {
        user_id: ChatId,
    }
}

/// As the worker reports it.
#[derive(Serialize, Deserialize, ToSchema)]
pub(crate) struct SyncResult {
    added_roles: Vec<RoleId>,
    removed_roles: Vec<RoleId>,
    nickname_updated: bool,
    /// Roles the bot could not give or take.
    failed_roles: Vec<FailedRole>,
    /// Why the nickname stayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "the member stands above the bot")]
    nickname_error: Option<String>,
}

#[derive(Serialize, Deserialize, ToSchema)]
pub(crate) struct FailedRole {
    role_id: RoleId,
    /// A stable word for programs.
    #[schema(example = "role_above_bot")]
    error: String,
    #[schema(example = "the role stands above the bot's highest role")]
    reason: String,
}

pub(crate) fn operation() -> Operation {
    Operation::new("syncMember", "Bring one member's roles and nickname in line")
        .about("Roles outside the guild's bindings are never touched.")
        .body::<SyncRequest>()
        .data::<SyncResult>()
        .job()
        .refuses(404, &["not_linked", "not_a_member"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let SyncRequest { user_id: user } = call.body()?;
    // Members may always bring themselves up to date.
    call.caller.acts_for(user, Needs::Permission("sync.write"))?;
    // A repeat waits for the job of the first request, even if the link no longer exists.
    if call.first_job().is_none() && link::find_by_chat(call.read(), call.guild(), user).await?.is_none() {
        return Err(ApiError::not_linked());
    }
    let payload = SyncMember::of(call.guild(), user);
    let asked = Asked { action: "sync.requested", target: user.to_string(), metadata: json!({}) };
    let done = |result| Reply::data(&serde_json::from_value::<SyncResult>(result)?);
    job::run(&call, &payload, asked, done).await
}
