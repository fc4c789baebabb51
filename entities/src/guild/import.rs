//! The import of a guild in steps: until [`finish`] no other query finds the guild. An import that was stopped can be
//! resumed with the same file.

use std::collections::BTreeMap;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use sea_orm::{EntityTrait, FromJsonQueryResult, IntoActiveModel};
use serde::{Deserialize, Serialize};

use super::{Column as Of, Entity as Guilds};
use crate::by_id::no_relations;
use crate::{Conn, GuildId, Result, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "guild_import")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    pub file_hash: Vec<u8>,
    /// The first rows of the file, which are there.
    pub rows_written: i64,
    pub placed: Placed,
}

no_relations!();

/// The ids of each table of which rows are there, by its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(transparent)]
pub struct Placed(pub BTreeMap<String, Place>);

/// The ids that the rows of one table have here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub first: i64,
    pub last: i64,
    /// How far they moved.
    pub shift: i64,
}

pub async fn find(conn: &impl Conn, guild: GuildId) -> Result<Option<Model>> {
    Entity::find_by_id(guild).one(conn).await
}

/// The ids of a table that unfinished imports of other guilds have, whether or not their rows are there.
pub async fn places_of_others(conn: &impl Conn, guild: GuildId, table: &str) -> Result<Vec<Place>> {
    let others = Entity::find().filter(Column::GuildId.ne(guild)).all(conn).await?;
    Ok(others.iter().filter_map(|other| other.placed.0.get(table).copied()).collect())
}

/// Hides the guild, whose row was inserted in this transaction.
pub async fn begin(conn: &impl Conn, guild: GuildId, file_hash: Vec<u8>, now: Timestamp) -> Result<()> {
    hide(conn, guild, Some(now)).await?;
    let row = Model { guild_id: guild, file_hash, rows_written: 0, placed: Placed::default() };
    Entity::insert(row.into_active_model()).exec_without_returning(conn).await.map(drop)
}

/// Notes rows that this transaction wrote after the first `written` ones. False: the guild is being removed, or another
/// run of the same import wrote them.
pub async fn advance(
    conn: &impl Conn,
    guild: GuildId,
    written: i64,
    rows: i64,
    placed: &Placed,
) -> Result<bool> {
    let noted = Entity::update_many()
        .col_expr(Column::RowsWritten, Expr::value(written + rows))
        .col_expr(Column::Placed, Expr::value(placed.clone()))
        .filter(Column::GuildId.eq(guild))
        .filter(Column::RowsWritten.eq(written));
    Ok(noted.exec(conn).await?.rows_affected == 1)
}

/// Shows the guild. False: it is being removed, and the transaction must not be committed.
pub async fn finish(conn: &impl Conn, guild: GuildId) -> Result<bool> {
    // In the order in which a removal takes the locks.
    hide(conn, guild, None).await?;
    Ok(Entity::delete_by_id(guild).exec(conn).await?.rows_affected == 1)
}

/// Gives the import up: the guild stays hidden, and no file goes on with it.
pub(super) async fn give_up(conn: &impl Conn, guild: GuildId) -> Result<()> {
    Entity::delete_by_id(guild).exec(conn).await.map(drop)
}

async fn hide(conn: &impl Conn, guild: GuildId, since: Option<Timestamp>) -> Result<()> {
    let hidden = Guilds::update_many().col_expr(Of::RemovingSince, Expr::value(since));
    hidden.filter(Of::GuildId.eq(guild)).exec(conn).await.map(drop)
}
