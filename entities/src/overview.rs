//! Figures of one guild for the first page of the console. Each reads an index of the guild's rows and a bounded number of
//! them.

use chrono::NaiveDate;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, Func};
use sea_orm::{FromQueryResult, QueryOrder, QuerySelect};

use crate::job::State;
use crate::{
    Conn, GuildId, Result, SanctionKind, Timestamp, game_server, job, sanction, staff_action, staff_session,
};

/// Rows that a chart reads at most: the newest.
pub const CHART_ROWS: u64 = 10_000;

/// Live servers, and the players on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub struct Servers {
    pub servers: i64,
    pub players: i64,
}

pub async fn servers(conn: &impl Conn, guild: GuildId, now: Timestamp) -> Result<Servers> {
    use game_server::{Column, Entity};
    let players = Column::PlayerCount.sum().cast_as("bigint");
    let live = Entity::find()
        .select_only()
        .column_as(Column::ServerId.count(), "servers")
        .column_as(Expr::from(Func::coalesce([players, Expr::value(0_i64)])), "players")
        .filter(Column::GuildId.eq(guild))
        .filter(Column::LastHeartbeatAt.gt(now - game_server::STALE_AFTER));
    let row = live.into_model().one(conn).await?;
    Ok(row.unwrap_or(Servers { servers: 0, players: 0 }))
}

/// Staff members with a live session.
pub async fn on_duty(conn: &impl Conn, guild: GuildId, now: Timestamp) -> Result<u64> {
    use staff_session::{Column, Entity};
    Entity::find().filter(Column::GuildId.eq(guild)).filter(staff_session::live(now)).count(conn).await
}

/// Jobs that are queued or running; the chunks of one count once.
pub async fn open_jobs(conn: &impl Conn, guild: GuildId) -> Result<i64> {
    use job::{Column, Entity};
    let whole = Func::coalesce([Column::ParentId.into_expr(), Column::JobId.into_expr()]);
    let open = Entity::find()
        .select_only()
        .column_as(Expr::from(whole).count_distinct(), "jobs")
        .filter(Column::GuildId.eq(guild))
        .filter(Column::State.is_in([State::Queued, State::Running]));
    Ok(open.into_tuple().one(conn).await?.unwrap_or_default())
}

/// How many rows were created on each day (UTC), of the newest [`CHART_ROWS`] since a time.
fn by_day(times: Vec<Timestamp>) -> Vec<(NaiveDate, u64)> {
    let mut days = std::collections::BTreeMap::new();
    for at in times {
        *days.entry(at.date_naive()).or_default() += 1;
    }
    days.into_iter().collect()
}

/// Bans or mutes by day, oldest first; days without any are absent.
pub async fn sanctions_by_day(
    conn: &impl Conn,
    guild: GuildId,
    kind: SanctionKind,
    since: Timestamp,
) -> Result<Vec<(NaiveDate, u64)>> {
    let rows = sanction::history::newest_times(conn, guild, kind, CHART_ROWS).await?;
    Ok(by_day(rows.into_iter().filter(|at| *at >= since).collect()))
}

/// Actions of staff by day, oldest first; days without any are absent.
pub async fn actions_by_day(
    conn: &impl Conn,
    guild: GuildId,
    since: Timestamp,
) -> Result<Vec<(NaiveDate, u64)>> {
    use staff_action::{Column, Entity};
    let newest = Entity::find()
        .select_only()
        .column(Column::CreatedAt)
        .filter(Column::GuildId.eq(guild))
        .order_by_desc(Column::ActionId)
        .limit(CHART_ROWS);
    let rows: Vec<Timestamp> = newest.into_tuple().all(conn).await?;
    Ok(by_day(rows.into_iter().filter(|at| *at >= since).collect()))
}
