//! /console/guilds/:guild/pictures/:player: the picture of a player, small, for lists.

use entities::PlayId;
use platforms::PictureOf;

use crate::platform_cache::accounts::soon;
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// Whatever is wrong, there is no picture.
pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let player: PlayId = visit.param("player")?;
    let found = visit.platforms().pictures.find(visit.call_context(), PictureOf::Face(player));
    match soon(found).await {
        Ok(Some(picture)) => Ok(Response::picture(picture.content_type, picture.bytes)),
        Ok(None) => Err(PageError::NotFound),
        Err(problem) => {
            tracing::debug!(problem, "a picture cannot be read");
            Err(PageError::NotFound)
        }
    }
}
