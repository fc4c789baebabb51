//! A new API key with its audit entry, for `keys create` and the demo.

use entities::Timestamp;
use entities::api_key::{self, NewKey};
use entities::audit_entry::NewEntry;
use sea_orm::{ConnectionTrait, DbErr};
use serde_json::json;

use super::unit_of_work::audit;
use crate::output;

pub(crate) async fn create_key<C: ConnectionTrait>(
    conn: &C,
    key: NewKey,
    now: Timestamp,
) -> Result<api_key::Model, DbErr> {
    let row = api_key::create(conn, key, now).await?;
    let metadata = json!({
        "name": row.name,
        "scopes": row.scopes,
        "expires_at": row.expires_at.map(output::time),
        "hot_path_factor": row.hot_path_factor,
    });
    let (guild, target) = (row.guild_id, row.public_id.clone());
    audit(conn, NewEntry { guild, action: "keys.create", target, metadata }, now).await?;
    Ok(row)
}
