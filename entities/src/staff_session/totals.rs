//! Durations and counts of staff sessions, summed from the rows, and over all time with the sums of deleted
//! ones.
//!
//! Ended sessions are summed from an index alone; the few open ones are read from their rows.

use std::collections::BTreeMap;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};
use sea_orm::{Condition, QuerySelect, Select};

pub use super::Total;
use super::{Column, Entity, sum};
use crate::period::Span;
use crate::{ChatId, Conn, GuildId, Result, Second};

/// Totals of all members active in the span, by chat id.
pub async fn of_guild(conn: &impl Conn, guild: GuildId, span: impl Into<Span>) -> Result<Vec<Total>> {
    collect(conn, guild, None, span.into()).await
}

/// Totals of one staff member.
pub async fn of_staff(conn: &impl Conn, guild: GuildId, staff: ChatId) -> Result<Total> {
    let totals = collect(conn, guild, Some(staff), Span::default()).await?;
    Ok(totals.first().copied().unwrap_or(Total { staff_id: staff, sessions: 0, seconds: 0 }))
}

async fn collect(conn: &impl Conn, guild: GuildId, staff: Option<ChatId>, span: Span) -> Result<Vec<Total>> {
    let whose = Condition::all()
        .add(Column::GuildId.eq(guild))
        .add_option(staff.map(|staff| Column::StaffId.eq(staff)));
    let ended =
        sum_until(Column::EndedSecond, span).filter(Column::EndedSecond.is_not_null()).filter(whose.clone());
    let open = sum_until(Column::HeartbeatSecond, span).filter(Column::EndedSecond.is_null()).filter(whose);
    // No span reaches back to deleted rows.
    let deleted = if span.since.is_none() { sum::of(conn, guild, staff).await? } else { Vec::new() };
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

/// Sessions and seconds for each member, from the start to the end column, as far as they are in the span.
fn sum_until(end: Column, span: Span) -> Select<Entity> {
    let (since, until) = (span.since.map(Second::from), span.until.map(Second::from));
    let within = |column: Column, outside: Option<SimpleExpr>, bound: Option<Second>| {
        let own = Expr::col(column);
        match outside.zip(bound) {
            Some((outside, bound)) => Expr::case(outside, Expr::value(bound)).finally(own).into(),
            None => own,
        }
    };
    let started = within(Column::StartedSecond, since.map(|since| Column::StartedSecond.lt(since)), since);
    let ended = within(end, until.map(|until| end.gt(until)), until);
    // Postgres sums bigint to numeric.
    let seconds = ended.sub(started).sum().cast_as("bigint");
    Entity::find()
        .select_only()
        .column(Column::StaffId)
        .column_as(Column::StartedSecond.count(), "sessions")
        .column_as(seconds, "seconds")
        .filter(Condition::all().add_option(since.map(|since| end.gt(since))))
        .filter(Condition::all().add_option(until.map(|until| Column::StartedSecond.lt(until))))
        .group_by(Column::StaffId)
}
