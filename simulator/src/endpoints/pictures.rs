//! Pictures of the chat platform's people and guilds, and of the game platform's users.

use serde_json::json;

use crate::pictures;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;

pub(crate) fn avatar(_: &Simulator, input: &Input) -> Reply {
    picture(input, "user")
}

pub(crate) fn icon(_: &Simulator, input: &Input) -> Reply {
    picture(input, "guild")
}

/// `:file` is the hash, as a PNG.
fn picture(input: &Input, owner: &str) -> Reply {
    let id: i64 = input.param(owner).parse().unwrap_or_default();
    let hash = pictures::hash_of(id).map(|hash| format!("{hash}.png"));
    if hash.is_some_and(|file| file == input.param("file")) {
        return Reply::png(pictures::colour(id));
    }
    Reply::json(404, json!({ "message": "404: Not Found", "code": 0 }))
}

/// `GET /headshots/:file`, where `GET /v1/users/avatar-headshot` leads.
pub(crate) fn headshot(_: &Simulator, input: &Input) -> Reply {
    let id = input.param("file").strip_suffix(".png").and_then(|id| id.parse().ok());
    id.map_or_else(|| Reply::json(404, json!({})), |id| Reply::png(pictures::colour(id)))
}
