//! GET /guilds/:guildId/staff/play/:playId/permissions

use entities::PlayId;
use serde::Serialize;

use crate::call::Call;
use crate::fields::Field;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::staff::play::Standing;

#[derive(Serialize)]
struct Permissions {
    play_id: PlayId,
    #[serde(flatten)]
    standing: Standing,
}

pub(crate) async fn permissions(call: Call) -> Result<Reply, ApiError> {
    let play_id: PlayId = call.path("playId", &PlayId::allowed())?;
    let standing = Standing::of(&call, play_id).await?;
    Reply::data(&Permissions { play_id, standing })
}
