//! GET /moderation/:guildId/play/bans/active: what a game server fills its cache with, whole or what changed since.

use entities::sanction::active::{self, Listed};
use entities::{SanctionId, SanctionKind};
use serde::Serialize;

use super::active::{Item, ListMeta, ListState, MOST_CHANGES};
use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::time::Seconds;

#[derive(Serialize)]
struct Bans {
    bans: Vec<Item<SanctionId>>,
    #[serde(flatten)]
    meta: ListMeta<SanctionId>,
}

pub(crate) async fn bans(call: Call) -> Result<Reply, ApiError> {
    let state = ListState::of(&call, SanctionKind::Ban).await?;
    if let Some(changes) = changes(&call, &state).await? {
        return Reply::data(&changes);
    }
    let tag = state.tag(active::count(call.read(), state.of, state.now).await?);
    if call.if_none_match.has(&tag) {
        return Ok(Reply::not_modified(tag));
    }
    let rows = active::list(call.read(), state.of, state.now).await?;
    let meta = ListMeta::complete(state.revision);
    Ok(Reply::data(&Bans { bans: rows.into_iter().map(item).collect(), meta })?.with_etag(tag))
}

/// None: the whole list is wanted, or shorter to send.
async fn changes(call: &Call, state: &ListState) -> Result<Option<Bans>, ApiError> {
    let Some(since) = state.since else { return Ok(None) };
    let rows = active::changed_since(call.read(), state.of, since, MOST_CHANGES + 1).await?;
    if rows.len() as u64 > MOST_CHANGES {
        return Ok(None);
    }
    let (bans, gone): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.in_force(state.now));
    let meta = ListMeta::changes(state.revision, gone.into_iter().map(|row| row.sanction_id).collect());
    Ok(Some(Bans { bans: bans.into_iter().map(item).collect(), meta }))
}

fn item(row: Listed) -> Item<SanctionId> {
    Item {
        id: row.sanction_id,
        identifier: row.identifier(),
        reason: row.reason,
        expires_at: row.expires_at.map(Seconds),
        place_id: row.place_id,
    }
}
