//! The part of the game platform's budget that passes use which start by themselves: their calls are planned one after
//! another, whichever guild and process they are of.

use chrono::TimeDelta;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ActiveValue::Set, QuerySelect};

use crate::by_id::no_relations;
use crate::{Conn, Result, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "follow_budget")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub budget: String,
    pub used_until: Timestamp,
}

no_relations!();

const GAME: &str = "game";

/// Plans calls that take this long at the passes' rate, and returns when they may begin. `conn` is a transaction.
pub async fn plan(conn: &impl Conn, length: TimeDelta, now: Timestamp) -> Result<Timestamp> {
    let unused = ActiveModel { budget: Set(GAME.to_owned()), used_until: Set(now) };
    let present = OnConflict::column(Column::Budget).do_nothing().to_owned();
    Entity::insert(unused).on_conflict(present).exec_without_returning(conn).await?;
    let row = Entity::find_by_id(GAME).lock_exclusive().one(conn).await?;
    let begin = row.map_or(now, |row| row.used_until).max(now);
    let used = Entity::update_many().col_expr(Column::UsedUntil, Expr::value(begin + length));
    used.filter(Column::Budget.eq(GAME)).exec(conn).await?;
    Ok(begin)
}
