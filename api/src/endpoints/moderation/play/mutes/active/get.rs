//! GET /moderation/:guildId/play/mutes/active: the list for a game server's cache, whole or its changes.

use entities::{SanctionId, SanctionKind};

use crate::endpoints::moderation::play::active_list::{
    ABOUT, ActiveList, ActiveQuery, ActiveSanction, ListMeta, reply,
};
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct ActiveMutes {
    mutes: Vec<ActiveSanction>,
    #[serde(flatten)]
    meta: ListMeta,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listActiveMutes", "Active mutes")
        .about(ABOUT)
        .paged_if_asked::<SanctionId>()
        .query::<ActiveQuery>()
        .data::<ActiveMutes>()
        .etag()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    reply(&call, SanctionKind::Mute, |ActiveList { rows, meta }| ActiveMutes { mutes: rows, meta }).await
}
