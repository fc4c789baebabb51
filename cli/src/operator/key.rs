//! A new API key with its audit entry, for `keys create` and the demo.

use entities::Timestamp;
use entities::api_key::{self, NewKey};
use entities::audit_entry::NewEntry;
use sea_orm::{ConnectionTrait, DbErr};

use super::unit_of_work::audit;

pub(crate) async fn create_key<C: ConnectionTrait>(
    conn: &C,
    key: NewKey,
    now: Timestamp,
) -> Result<api_key::Model, DbErr> {
    let row = api_key::create(conn, key, now).await?;
    let metadata = row.described();
    let (guild, target) = (row.guild_id, row.public_id.clone());
    audit(conn, NewEntry { guild, action: "keys.create", target, metadata }, now).await?;
    Ok(row)
}
