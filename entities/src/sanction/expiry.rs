//! Expired sanctions. The sweep closes them, or the next change of the same person does; either way the audit log
//! records the expiry.

use sea_orm::entity::prelude::*;
use sea_orm::{QueryOrder, QuerySelect};
use serde_json::json;

use super::closing::closing;
use super::model::{Column, Entity, Lifted, Model, SanctionKind, expired};
use crate::audit_entry::NewEntry;
use crate::moderation_revision::Change;
use crate::sweep::{self, Due};
use crate::{GuildId, Timestamp};

/// Guilds with an expired sanction that is still open, by ascending id from the one after `after` on.
pub async fn guilds<C: ConnectionTrait>(
    conn: &C,
    after: Option<GuildId>,
    now: Timestamp,
    limit: u64,
) -> Result<Vec<GuildId>, DbErr> {
    Entity::find()
        .select_only()
        .column(Column::GuildId)
        .distinct()
        .filter(expired(now).add_option(after.map(|after| Column::GuildId.gt(after))))
        .order_by_asc(Column::GuildId)
        .limit(limit)
        .into_tuple()
        .all(conn)
        .await
}

/// Closes up to `limit` expired sanctions of the guild (their audit entries: [`entries`]).
pub async fn sweep<C: ConnectionTrait>(conn: &C, change: &Change, limit: u64) -> Result<Vec<Model>, DbErr> {
    let expired = expired(change.now).add(Column::GuildId.eq(change.guild));
    let due = Due { rows: expired, id: Column::SanctionId, since: Column::ExpiresAt };
    sweep::close(conn, closing(change, Lifted::Expired, None), due, limit).await
}

/// The audit entries of those closed sanctions that had expired.
pub fn entries(closed: &[Model]) -> impl Iterator<Item = NewEntry> {
    closed.iter().filter(|row| row.lifted_how == Some(Lifted::Expired)).map(expiry_entry)
}

fn expiry_entry(row: &Model) -> NewEntry {
    NewEntry {
        guild: row.guild_id,
        action: match row.kind {
            SanctionKind::Ban => "moderation.ban_expired",
            SanctionKind::Mute => "moderation.mute_expired",
        },
        target: row.subject().map(|subject| subject.to_string()).unwrap_or_default(),
        metadata: json!({ "id": row.sanction_id, "place_id": row.place_id, "expires_at": row.expires_at }),
    }
}
