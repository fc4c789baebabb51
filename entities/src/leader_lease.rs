//! The leader's lease: a row that its holder extends, and that another process may take when the extensions stop.
//!
//! No times are compared: the clocks of two machines differ. A standby process watches the number `lease` and measures
//! with its own steady clock how long it has not changed; [`take`] succeeds only if it is still unchanged.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ActiveValue::Set, UpdateMany};

use crate::by_id::no_relations;
use crate::{Conn, Result, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "leader_lease")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// Empty: released.
    pub holder: String,
    /// Rises with every extension and every change of holder.
    pub lease: i64,
    /// By the clock of the last writer. Informational, for operators.
    pub extended_at: Timestamp,
}

no_relations!();

/// The lease of the leading scheduler.
pub const SCHEDULER: &str = "scheduler";

/// The lease of the process that starts sessions of the event stream.
pub const GATEWAY_START: &str = "gateway-start";

/// The lease of the process that reads a shard of the event stream.
pub fn gateway(shard: u32) -> String {
    format!("gateway-{shard}")
}

const NOBODY: &str = "";

impl Model {
    pub fn is_given_up(&self) -> bool {
        self.holder == NOBODY
    }
}

/// The current lease; `None`: there has never been a leader.
pub async fn find(conn: &impl Conn, name: &str) -> Result<Option<Model>> {
    Entity::find_by_id(name).one(conn).await
}

/// Inserts the first lease; false: another process was faster.
pub async fn open(conn: &impl Conn, name: &str, holder: &str, now: Timestamp) -> Result<bool> {
    let first = ActiveModel {
        name: Set(name.to_owned()),
        holder: Set(holder.to_owned()),
        lease: Set(1),
        extended_at: Set(now),
    };
    let conflict = OnConflict::column(Column::Name).do_nothing().to_owned();
    Ok(Entity::insert(first).on_conflict(conflict).exec_without_returning(conn).await? > 0)
}

/// An extension by the holder; false: another process holds the lease.
pub async fn extend(conn: &impl Conn, name: &str, holder: &str, now: Timestamp) -> Result<bool> {
    let extended = writing(name, holder, now).filter(Column::Holder.eq(holder)).exec(conn).await?;
    Ok(extended.rows_affected == 1)
}

/// Takes the lease if the row has not been written since `seen` was read.
pub async fn take(conn: &impl Conn, seen: &Model, holder: &str, now: Timestamp) -> Result<bool> {
    let taken = writing(&seen.name, holder, now).filter(Column::Lease.eq(seen.lease)).exec(conn).await?;
    Ok(taken.rows_affected == 1)
}

/// Releases the lease, so that the next process need not wait for its expiry.
pub async fn release(conn: &impl Conn, name: &str, holder: &str, now: Timestamp) -> Result<()> {
    writing(name, NOBODY, now).filter(Column::Holder.eq(holder)).exec(conn).await?;
    Ok(())
}

fn writing(name: &str, holder: &str, now: Timestamp) -> UpdateMany<Entity> {
    Entity::update_many()
        .col_expr(Column::Lease, Expr::col(Column::Lease).add(1))
        .col_expr(Column::Holder, Expr::value(holder))
        .col_expr(Column::ExtendedAt, Expr::value(now))
        .filter(Column::Name.eq(name))
}
