//! POST /interactions/sync

use entities::{ChatId, link};
use queue::kinds::SyncMember;
use serde_json::json;

use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::job_call::{self, Asked};

pub(crate) async fn sync(call: Call) -> Result<Reply, ApiError> {
    let user: ChatId = call.fields.required("user_id")?;
    // A repeat waits for the job of the first request, whatever became of the link since.
    if call.first_job().is_none() && link::find_by_chat(call.read(), call.guild(), user).await?.is_none() {
        return Err(ApiError::not_linked());
    }
    let payload = SyncMember { guild: call.guild(), user };
    let asked = Asked { action: "sync.requested", target: user.to_string(), metadata: json!({}) };
    job_call::run(&call, &payload, asked, |result| Reply::data(&result)).await
}
