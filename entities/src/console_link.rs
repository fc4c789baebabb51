//! Links that sign a user in to the console once, within ten minutes (docs/rules.md 10).

use chrono::TimeDelta;
use sea_orm::entity::prelude::*;

use crate::by_id::no_relations;
use crate::{ChatId, Conn, GuildId, Result, Timestamp};

/// How long a link can be used.
pub const LIFETIME: TimeDelta = TimeDelta::minutes(10);

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "console_link")]
pub struct Model {
    /// SHA-256 of the link's text.
    #[sea_orm(primary_key, auto_increment = false)]
    pub secret_hash: Vec<u8>,
    pub guild_id: GuildId,
    pub user_id: ChatId,
    pub user_name: String,
    /// Whether it makes an admin of the guild, decided when it is made.
    pub admin: bool,
    pub operator: bool,
    pub expires_at: Timestamp,
}

no_relations!();

pub async fn create(conn: &impl Conn, link: Model) -> Result<()> {
    Entity::insert(ActiveModel::from(link).reset_all()).exec_without_returning(conn).await?;
    Ok(())
}

/// A link that was not used yet.
pub async fn find(conn: &impl Conn, secret_hash: &[u8], now: Timestamp) -> Result<Option<Model>> {
    Entity::find_by_id(secret_hash.to_vec()).filter(Column::ExpiresAt.gt(now)).one(conn).await
}

/// Uses the link: only one caller gets it.
pub async fn take(conn: &impl Conn, secret_hash: &[u8], now: Timestamp) -> Result<Option<Model>> {
    let live =
        Entity::delete_many().filter(Column::SecretHash.eq(secret_hash)).filter(Column::ExpiresAt.gt(now));
    Ok(live.exec_with_returning(conn).await?.into_iter().next())
}

/// Deletes links that were not used in time.
pub async fn prune(conn: &impl Conn, now: Timestamp) -> Result<u64> {
    Ok(Entity::delete_many().filter(Column::ExpiresAt.lte(now)).exec(conn).await?.rows_affected)
}
