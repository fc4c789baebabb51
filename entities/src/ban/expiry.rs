//! Bans that lapsed: closed by the sweep or by whoever came next, and told in the audit log either way.

use sea_orm::entity::prelude::*;
use serde_json::json;

use super::{Model, change};
use crate::audit_entry::{self, Actor, NewEntry};
use crate::moderation_revision::Change;
use crate::{Lifted, Timestamp};

/// Closes up to `limit` bans of the guild that have lapsed, with their audit entries.
pub async fn sweep<C: ConnectionTrait>(conn: &C, change: &Change, limit: u64) -> Result<Vec<Model>, DbErr> {
    let closed = change::close_lapsed(conn, change, limit).await?;
    note(conn, &closed, change.now).await?;
    Ok(closed)
}

/// Writes the audit entries of those among the closed that had lapsed.
pub async fn note<C: ConnectionTrait>(conn: &C, closed: &[Model], now: Timestamp) -> Result<(), DbErr> {
    for ban in closed.iter().filter(|ban| ban.lifted_how == Some(Lifted::Expired)) {
        let entry = NewEntry {
            guild: ban.guild_id,
            action: "moderation.ban_expired",
            target: ban.subject().map(|subject| subject.to_string()).unwrap_or_default(),
            metadata: json!({ "id": ban.ban_id, "place_id": ban.place_id, "expires_at": ban.expires_at }),
        };
        audit_entry::write(conn, &Actor::service(), entry, now).await?;
    }
    Ok(())
}
