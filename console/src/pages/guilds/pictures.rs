//! /console/guilds/:guild/pictures/:player and /console/guilds/:guild/icon: pictures of players, small, for lists, and of the guild.

use bytes::Bytes;
use entities::PlayId;
use http::StatusCode;
use platforms::PictureOf;

use crate::pages::linking::picture::find;
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// Nothing, which the initials shine through: browsers report what is not found.
const NONE: &[u8] = br#"<svg xmlns="http://www.w3.org/2000/svg"/>"#;
const NONE_TYPE: &str = "image/svg+xml";

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let player: PlayId = visit.param("player")?;
    Ok(picture(&visit, PictureOf::Face(player)).await)
}

pub(crate) async fn icon(visit: GuildVisit) -> Result<Response, PageError> {
    Ok(picture(&visit, PictureOf::Guild(visit.guild.guild_id)).await)
}

async fn picture(visit: &GuildVisit, of: PictureOf) -> Response {
    let none = || Bytes::from_static(NONE);
    match find(visit.platforms(), visit.call_context(), of).await {
        Some(picture) => picture.unwrap_or_else(|| Response::picture(NONE_TYPE, none())),
        None => Response::new(StatusCode::OK, NONE_TYPE, none()),
    }
}
