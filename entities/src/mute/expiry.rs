//! Mutes that lapsed: closed by the sweep or by whoever came next, and told in the audit log either way.

use sea_orm::entity::prelude::*;
use serde_json::json;

use super::{Model, close_lapsed};
use crate::audit_entry::{self, Actor, NewEntry};
use crate::moderation_revision::Change;
use crate::{Lifted, Timestamp};

/// Closes up to `limit` mutes of the guild that have lapsed, with their audit entries.
pub async fn sweep<C: ConnectionTrait>(conn: &C, change: &Change, limit: u64) -> Result<Vec<Model>, DbErr> {
    let closed = close_lapsed(conn, change, limit).await?;
    note(conn, &closed, change.now).await?;
    Ok(closed)
}

/// Writes the audit entries of those among the closed that had lapsed.
pub async fn note<C: ConnectionTrait>(conn: &C, closed: &[Model], now: Timestamp) -> Result<(), DbErr> {
    for mute in closed.iter().filter(|mute| mute.lifted_how == Some(Lifted::Expired)) {
        let entry = NewEntry {
            guild: mute.guild_id,
            action: "moderation.mute_expired",
            target: mute.subject().map(|subject| subject.to_string()).unwrap_or_default(),
            metadata: json!({ "id": mute.mute_id, "place_id": mute.place_id, "expires_at": mute.expires_at }),
        };
        audit_entry::write(conn, &Actor::service(), entry, now).await?;
    }
    Ok(())
}
