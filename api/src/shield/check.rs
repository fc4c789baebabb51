//! GET /shield/check/:playId

use entities::shield_flag::Model;
use entities::{ChatId, PlayId};
use serde::Serialize;

use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::time::Seconds;

#[derive(Serialize)]
struct Check {
    flagged: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    flag: Option<Flag>,
}

#[derive(Serialize)]
struct Flag {
    /// A string here, an integer in requests (docs/rules.md 8).
    play_id: String,
    play_username: String,
    reason: String,
    flagged_by: ChatId,
    source: String,
    flagged_at: Seconds,
}

impl From<&Model> for Flag {
    fn from(row: &Model) -> Self {
        Self {
            play_id: row.play_id.to_string(),
            play_username: row.play_username.clone(),
            reason: row.reason.clone(),
            flagged_by: row.flagged_by,
            source: row.source.clone(),
            flagged_at: Seconds(row.flagged_at),
        }
    }
}

pub(crate) async fn check(call: Call) -> Result<Reply, ApiError> {
    let play: PlayId = call.path("playId", "a positive integer that fits 63 bits")?;
    let found = call.app.shield.of(call.read(), play).await?;
    let message = if found.is_some() { "the user is flagged" } else { "the user is not flagged" };
    let check = Check { flagged: found.is_some(), flag: found.as_deref().map(Flag::from) };
    Ok(Reply::data(&check)?.with_message(message))
}
