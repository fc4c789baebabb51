//! Where each shard of the chat platform's event stream stands (`gateway/`): written in the transaction of what follows from
//! its events, and only by the process that reads them.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::OnConflict;
use sea_orm::{IntoActiveModel, QuerySelect};

use crate::by_id::no_relations;
use crate::{Conn, Result, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "gateway_shard")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub shard: i32,
    pub shards: i32,
    /// The process that reads it.
    pub holder: String,
    /// `None`: the next connection begins a new session.
    pub session: Option<String>,
    pub sequence: i64,
    pub resume_url: Option<String>,
    /// All events until then have been read.
    pub seen_at: Timestamp,
}

no_relations!();

/// Makes the process the one that writes the shard's place, and returns it. With another number of shards all of them begin
/// new sessions. `conn` is a transaction.
pub async fn take(conn: &impl Conn, shard: i32, shards: i32, holder: &str, now: Timestamp) -> Result<Model> {
    let first = Model {
        shard,
        shards,
        holder: holder.to_owned(),
        session: None,
        sequence: 0,
        resume_url: None,
        seen_at: now,
    };
    let present = OnConflict::column(Column::Shard).do_nothing().to_owned();
    Entity::insert(first.clone().into_active_model())
        .on_conflict(present)
        .exec_without_returning(conn)
        .await?;
    let found = Entity::find_by_id(shard).lock_exclusive().one(conn).await?.unwrap_or(first);
    let place = Model { holder: holder.to_owned(), ..found };
    let place = if place.shards == shards { place } else { Model { shards, session: None, ..place } };
    Entity::update(place.into_active_model().reset_all()).exec(conn).await
}

/// Writes the place; false: another process reads the shard now.
pub async fn write(conn: &impl Conn, place: Model) -> Result<bool> {
    let of_holder = Column::Holder.eq(place.holder.clone());
    let written = Entity::update_many().set(place.clone().into_active_model().reset_all());
    let written = written.filter(Column::Shard.eq(place.shard)).filter(of_holder).exec(conn).await?;
    Ok(written.rows_affected == 1)
}

/// For operators and tests.
pub async fn list(conn: &impl Conn) -> Result<Vec<Model>> {
    Entity::find().all(conn).await
}
