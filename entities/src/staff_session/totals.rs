//! Durations and counts of staff sessions, summed from the rows, and over all time from what is kept of deleted ones.
//!
//! Ended sessions are summed from an index alone; the few open ones are read from their rows.

use std::collections::BTreeMap;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{Condition, FromQueryResult, QuerySelect, Select};

use super::{Column, Entity, sum};
use crate::{ChatId, Conn, GuildId, Result, Second, Timestamp};

/// The activity of one staff member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub struct Total {
    pub staff_id: ChatId,
    /// Sessions that overlap the span.
    pub sessions: i64,
    /// Seconds of their overlap with the span.
    pub seconds: i64,
}

/// Totals of all active members, by chat id; with `since`, only of the time after it.
pub async fn of_guild(conn: &impl Conn, guild: GuildId, since: Option<Timestamp>) -> Result<Vec<Total>> {
    collect(conn, guild, None, since).await
}

/// Totals of one staff member.
pub async fn of_staff(
    conn: &impl Conn,
    guild: GuildId,
    staff: ChatId,
    since: Option<Timestamp>,
) -> Result<Total> {
    let totals = collect(conn, guild, Some(staff), since).await?;
    Ok(totals.first().copied().unwrap_or(Total { staff_id: staff, sessions: 0, seconds: 0 }))
}

async fn collect(
    conn: &impl Conn,
    guild: GuildId,
    staff: Option<ChatId>,
    since: Option<Timestamp>,
) -> Result<Vec<Total>> {
    let since = since.map(Second::from);
    let whose = Condition::all()
        .add(Column::GuildId.eq(guild))
        .add_option(staff.map(|staff| Column::StaffId.eq(staff)));
    let ended =
        sum_until(Column::EndedSecond, since).filter(Column::EndedSecond.is_not_null()).filter(whose.clone());
    let open = sum_until(Column::HeartbeatSecond, since).filter(Column::EndedSecond.is_null()).filter(whose);
    // No span reaches back to what is deleted.
    let deleted = if since.is_none() { sum::of(conn, guild, staff).await? } else { Vec::new() };
    let mut totals = BTreeMap::new();
    let (ended, open) = (ended.into_model().all(conn).await?, open.into_model().all(conn).await?);
    for part in [deleted, ended, open] {
        for row in part {
            let total = totals.entry(row.staff_id).or_insert(Total {
                staff_id: row.staff_id,
                sessions: 0,
                seconds: 0,
            });
            total.sessions += row.sessions;
            total.seconds += row.seconds;
        }
    }
    Ok(totals.into_values().collect())
}

/// Sessions and seconds for each member, from the start (but not before `since`) to the end column.
fn sum_until(end: Column, since: Option<Second>) -> Select<Entity> {
    let started = Expr::col(Column::StartedSecond);
    let start = match since {
        Some(since) => {
            Expr::case(Column::StartedSecond.lt(since), Expr::value(since)).finally(started).into()
        }
        None => started,
    };
    // Postgres sums bigint to numeric.
    let seconds = Expr::col(end).sub(start).sum().cast_as("bigint");
    Entity::find()
        .select_only()
        .column(Column::StaffId)
        .column_as(Column::StartedSecond.count(), "sessions")
        .column_as(seconds, "seconds")
        .filter(Condition::all().add_option(since.map(|since| end.gt(since))))
        .group_by(Column::StaffId)
}
