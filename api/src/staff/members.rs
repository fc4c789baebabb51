//! GET /staff/members/:guildId

use entities::staff_directory::{self, Described};
use entities::{ChatId, PlayId, RoleId};
use serde::Serialize;

use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::time::Seconds;

#[derive(Serialize)]
struct Members {
    members: Vec<Member>,
}

#[derive(Serialize)]
struct Member {
    chat_id: ChatId,
    /// Null where the chat user is not linked.
    play_id: Option<PlayId>,
    role_id: RoleId,
    role_name: String,
    on_duty: bool,
    joined_at: Seconds,
}

impl From<Described> for Member {
    fn from(row: Described) -> Self {
        Self {
            chat_id: row.chat_id,
            play_id: row.play_id,
            role_id: row.role_id,
            role_name: row.role_name,
            on_duty: row.on_duty,
            joined_at: Seconds(row.joined_at),
        }
    }
}

pub(crate) async fn members(call: Call) -> Result<Reply, ApiError> {
    let rows = staff_directory::list(call.read(), call.guild(), call.now()).await?;
    Reply::data(&Members { members: rows.into_iter().map(Member::from).collect() })
}
