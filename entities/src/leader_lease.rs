//! Which process leads: a row that its holder keeps extending, and that another may take once it lapsed.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ActiveValue::Set, Condition};

use crate::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "leader_lease")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    pub holder: String,
    /// Rises with every change of holder.
    pub lease: i64,
    pub lease_until: Timestamp,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Takes the lease or extends it; true when `holder` leads until `until`.
pub async fn acquire<C: ConnectionTrait>(
    conn: &C,
    name: &str,
    holder: &str,
    (now, until): (Timestamp, Timestamp),
) -> Result<bool, DbErr> {
    let first = ActiveModel {
        name: Set(name.to_owned()),
        holder: Set(holder.to_owned()),
        lease: Set(1),
        lease_until: Set(until),
    };
    let conflict = OnConflict::column(Column::Name).do_nothing().to_owned();
    if Entity::insert(first).on_conflict(conflict).exec_without_returning(conn).await? > 0 {
        return Ok(true);
    }
    let taken = Entity::update_many()
        .col_expr(Column::Lease, Expr::col(Column::Lease).add(1))
        .col_expr(Column::Holder, Expr::value(holder))
        .col_expr(Column::LeaseUntil, Expr::value(until))
        .filter(Column::Name.eq(name))
        .filter(Condition::any().add(Column::Holder.eq(holder)).add(Column::LeaseUntil.lt(now)))
        .exec(conn)
        .await?;
    Ok(taken.rows_affected == 1)
}

/// Gives the lease up, so that the next process need not wait for its end.
pub async fn release<C: ConnectionTrait>(
    conn: &C,
    name: &str,
    holder: &str,
    now: Timestamp,
) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::LeaseUntil, Expr::value(now))
        .filter(Column::Name.eq(name))
        .filter(Column::Holder.eq(holder))
        .exec(conn)
        .await?;
    Ok(())
}
