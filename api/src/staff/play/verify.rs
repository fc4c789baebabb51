//! POST /staff/play/verify

use entities::staff_directory::{self, Described};
use entities::{ChatId, PlayId};
use serde::Serialize;

use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

/// What a player may do in the game: of somebody who is not staff nothing, and that is no error (docs/rules.md 6).
#[derive(Serialize)]
pub(crate) struct Standing {
    is_staff: bool,
    chat_id: Option<ChatId>,
    role_name: Option<String>,
    permissions: Vec<String>,
}

impl From<Option<Described>> for Standing {
    fn from(member: Option<Described>) -> Self {
        let Some(member) = member else {
            return Self { is_staff: false, chat_id: None, role_name: None, permissions: Vec::new() };
        };
        Self {
            is_staff: true,
            chat_id: Some(member.chat_id),
            role_name: Some(member.role_name),
            permissions: member.play_permissions.0,
        }
    }
}

impl Standing {
    pub(crate) async fn of(call: &Call, player: PlayId) -> Result<Self, ApiError> {
        Ok(staff_directory::find_by_play(call.read(), call.guild(), player, call.now()).await?.into())
    }
}

pub(crate) async fn verify(call: Call) -> Result<Reply, ApiError> {
    let player = call.fields.required("play_id")?;
    Reply::data(&Standing::of(&call, player).await?)
}
