//! The sums of deleted sessions of staff members, for totals over all time.

use std::collections::BTreeMap;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{ExprTrait, OnConflict};
use sea_orm::{ActiveValue::Set, Condition, Order};

use super::Total;
use crate::by_id::no_relations;
use crate::sweep;
use crate::{ChatId, Conn, GuildId, Result, Second, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "staff_session_sum")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub staff_id: ChatId,
    pub sessions: i64,
    pub seconds: i64,
}

no_relations!();

/// Deletes up to `limit` sessions that ended before `before`, the oldest first, and keeps their sums. Needs a transaction.
pub async fn fold(conn: &impl Conn, before: Timestamp, limit: u64) -> Result<u64> {
    use super::{Column as Of, Entity as Sessions};
    let old = Condition::all().add(Of::EndedSecond.lt(Second::from(before)));
    let first = sweep::keys::<Sessions>(&old, limit).order_by(Of::EndedSecond, Order::Asc).take();
    let gone = Sessions::delete_many().filter(sweep::key_in::<Sessions>(first)).filter(old);
    let gone = gone.exec_with_returning(conn).await?;
    let mut sums = BTreeMap::new();
    for session in &gone {
        let sum: &mut (i64, i64) = sums.entry((session.guild_id, session.staff_id)).or_default();
        *sum = (sum.0 + 1, sum.1 + session.duration_seconds());
    }
    let rows = sums.into_iter().map(|((guild_id, staff_id), (sessions, seconds))| ActiveModel {
        guild_id: Set(guild_id),
        staff_id: Set(staff_id),
        sessions: Set(sessions),
        seconds: Set(seconds),
    });
    if !gone.is_empty() {
        Entity::insert_many(rows).on_conflict(added()).exec_without_returning(conn).await?;
    }
    Ok(gone.len() as u64)
}

fn added() -> OnConflict {
    let plus = |column| (column, Expr::col((Entity, column)).add(Expr::col(("excluded", column))));
    OnConflict::columns([Column::GuildId, Column::StaffId])
        .values([plus(Column::Sessions), plus(Column::Seconds)])
        .to_owned()
}

/// Sums of a guild's staff, or of one member.
pub(super) async fn of(conn: &impl Conn, guild: GuildId, staff: Option<ChatId>) -> Result<Vec<Total>> {
    let whose = Condition::all()
        .add(Column::GuildId.eq(guild))
        .add_option(staff.map(|staff| Column::StaffId.eq(staff)));
    let total = |Model { staff_id, sessions, seconds, .. }| Total { staff_id, sessions, seconds };
    Ok(Entity::find().filter(whose).all(conn).await?.into_iter().map(total).collect())
}
