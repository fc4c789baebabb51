//! The keys that a key made, those that they made, and so on (docs/rules.md 1).

use sea_orm::QueryFilter;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;

use super::{Column, Entity, Model, list};
use crate::{Conn, GuildId, KeyId, Result, Timestamp, lists};

/// The descendants of a key among the keys of its guild, in whatever state.
pub fn descendants<'k>(keys: &'k [Model], root: &str) -> Vec<&'k Model> {
    let children =
        |parent: &str| keys.iter().filter(|key| key.parent.as_deref() == Some(parent)).collect::<Vec<_>>();
    let mut found = children(root);
    let mut next = 0;
    while let Some(parent) = found.get(next) {
        found.extend(children(&parent.public_id));
        next += 1;
    }
    found
}

/// Revokes the descendants of a key that are not revoked yet, and returns them. Revoke the key itself before.
///
/// Making a key locks its parent ([`super::lock`]), so a key made meanwhile is found when the keys are read
/// again.
pub async fn revoke_descendants(
    conn: &impl Conn,
    guild: GuildId,
    root: &str,
    now: Timestamp,
) -> Result<Vec<Model>> {
    let mut revoked = Vec::new();
    loop {
        let keys = list(conn, Some(guild)).await?;
        let left = descendants(&keys, root).into_iter().filter(|key| key.revoked_at.is_none());
        let left: Vec<KeyId> = left.map(|key| key.key_id).collect();
        if left.is_empty() {
            return Ok(revoked);
        }
        let update = Entity::update_many()
            .col_expr(Column::RevokedAt, Expr::value(now))
            .filter(lists::any_of(conn, Column::KeyId, left))
            .filter(Column::RevokedAt.is_null());
        revoked.extend(update.exec_with_returning(conn).await?);
    }
}
