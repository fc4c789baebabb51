//! GET /moderation/:guildId/play/mutes/active: what a game server fills its cache with, whole or what changed since.

use entities::MuteId;
use entities::mute::{self, Listed};
use serde::Serialize;

use super::active::{Item, ListMeta, ListState, MOST_CHANGES};
use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::time::Seconds;

#[derive(Serialize)]
struct Mutes {
    mutes: Vec<Item<MuteId>>,
    #[serde(flatten)]
    meta: ListMeta<MuteId>,
}

pub(crate) async fn mutes(call: Call) -> Result<Reply, ApiError> {
    let state = ListState::of(&call).await?;
    if let Some(changes) = changes(&call, &state).await? {
        return Reply::data(&changes);
    }
    let tag = state.tag(mute::count(call.read(), state.of, state.now).await?);
    if call.if_none_match.has(&tag) {
        return Ok(Reply::not_modified(tag));
    }
    let rows = mute::list(call.read(), state.of, state.now).await?;
    let meta = ListMeta::complete(state.revision);
    Ok(Reply::data(&Mutes { mutes: rows.into_iter().map(item).collect(), meta })?.with_etag(tag))
}

/// None: the whole list is wanted, or shorter to send.
async fn changes(call: &Call, state: &ListState) -> Result<Option<Mutes>, ApiError> {
    let Some(since) = state.since else { return Ok(None) };
    let rows = mute::changed_since(call.read(), state.of, since, MOST_CHANGES + 1).await?;
    if rows.len() as u64 > MOST_CHANGES {
        return Ok(None);
    }
    let (mutes, gone): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.in_force(state.now));
    let meta = ListMeta::changes(state.revision, gone.into_iter().map(|row| row.mute_id).collect());
    Ok(Some(Mutes { mutes: mutes.into_iter().map(item).collect(), meta }))
}

fn item(row: Listed) -> Item<MuteId> {
    Item {
        id: row.mute_id,
        identifier: row.identifier(),
        reason: row.reason,
        expires_at: row.expires_at.map(Seconds),
        place_id: row.place_id,
    }
}
