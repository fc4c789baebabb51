//! GET /moderation/:guildId/play/bans/active: the list for a game server's cache, whole or its changes.

use entities::{SanctionId, SanctionKind};

use crate::endpoints::moderation::play::active_list::{
    ABOUT, ActiveList, ActiveQuery, ActiveSanction, ListMeta, reply,
};
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct ActiveBans {
    bans: Vec<ActiveSanction>,
    #[serde(flatten)]
    meta: ListMeta,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listActiveBans", "Active bans")
        .about(ABOUT)
        .paged_if_asked::<SanctionId>()
        .query::<ActiveQuery>()
        .data::<ActiveBans>()
        .etag()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    reply(&call, SanctionKind::Ban, |ActiveList { rows, meta }| ActiveBans { bans: rows, meta }).await
}
