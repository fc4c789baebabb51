//! POST /guilds/:guildId/links/imports/:importId/undo: ends the links of an import that nobody has changed since.

use entities::ImportId;
use entities::import::{self, Kind, Made};
use entities::link::{self, Source};
use jobs::linking::Linking;

use crate::endpoints::imports::open;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct UndoneLinkImport {
    /// Links that ended. A job for each takes away what came from it.
    #[schema(example = 40)]
    undone: usize,
    /// Links that somebody has changed or ended since.
    #[schema(example = 2)]
    left: usize,
}

pub(crate) fn operation() -> Operation {
    Operation::new("undoLinkImport", "Undo an import of links")
        .about("Within a day, once. Links that somebody has changed since stay, and those that the import replaced do not come back.")
        .data::<UndoneLinkImport>()
        .message("the import is undone")
        .refuses(409, &["import_undone"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: ImportId = call.path("importId")?;
    let mut work = UnitOfWork::begin(&call).await?;
    let mut row = open(&work, call.guild(), id, Kind::Links).await?;
    let Made::Links(pairs) = row.made.clone() else { return Err(ApiError::internal("an import of bans")) };
    let chats: Vec<_> = pairs.iter().map(|(chat, _)| *chat).collect();
    let mut linking = Linking::begin(&mut work, call.guild(), call.actor()).await?;
    let mut links = link::find_by_chats(linking.tx(), call.guild(), &chats).await?;
    links.retain(|link| link.source == Source::Import && pairs.contains(&(link.chat_id, link.play_id)));
    linking.unlink_many(&links).await?;
    row.undone_at = Some(work.now());
    import::save(work.tx(), &row).await?;
    let data = UndoneLinkImport { undone: links.len(), left: pairs.len() - links.len() };
    work.commit(Reply::data(&data)?.with_message("the import is undone")).await
}
