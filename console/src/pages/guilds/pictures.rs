//! /console/guilds/:guild/pictures/:player: the picture of a player, small, for lists.

use bytes::Bytes;
use entities::PlayId;
use http::StatusCode;
use platforms::PictureOf;

use crate::platform_cache::accounts::soon;
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// Nothing, which the initials shine through: browsers report what is not found.
const NONE: &[u8] = br#"<svg xmlns="http://www.w3.org/2000/svg"/>"#;
const NONE_TYPE: &str = "image/svg+xml";

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let player: PlayId = visit.param("player")?;
    let found = visit.platforms().pictures.find(visit.call_context(), PictureOf::Face(player));
    Ok(match soon(found).await {
        Ok(Some(picture)) => Response::picture(picture.content_type, picture.bytes),
        Ok(None) => Response::picture(NONE_TYPE, Bytes::from_static(NONE)),
        Err(problem) => {
            tracing::debug!(problem, "a picture cannot be read");
            Response::new(StatusCode::OK, NONE_TYPE, Bytes::from_static(NONE))
        }
    })
}
