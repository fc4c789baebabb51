//! Turns: of one guild only so many jobs of a class are in flight, the rest are held, and each end releases the next. So
//! a first-come queue is fair to guilds.
//!
//! Jobs that wait for their `run_at` are not in flight. Two enqueues at the same moment may both take the last place,
//! and the end of the last job in flight may not see an enqueue beside it: the first does no harm, and what the second
//! leaves held with nothing in flight [`release_stranded`] finds.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{
    Alias, CaseStatement, Expr, ExprTrait, LockBehavior, LockType, Query, SelectStatement, SimpleExpr,
};
use sea_orm::{Condition, DatabaseBackend, Order, QuerySelect};

use super::claim::update_chosen;
use super::{Class, Column, Entity, State, Ticket, time};
use crate::{GuildId, Timestamp};

/// How many jobs of a class one guild may have in flight.
pub fn share(class: Class) -> u64 {
    match class {
        Class::Interactive => 8,
        Class::Default => 4,
        Class::Bulk => 2,
        // Rows without a guild, and jobs that run one at a time anyway.
        Class::Maintenance | Class::Quarantine => u64::MAX,
    }
}

fn in_flight<C: ConnectionTrait>(
    conn: &C,
    (guild, class): (GuildId, Class),
    now: Timestamp,
) -> SelectStatement {
    let available = Condition::all()
        .add(Column::State.eq(State::Queued))
        .add(Expr::col(Column::RunAt).lte(time::now(conn, now)));
    Query::select()
        .expr(Expr::value(1))
        .from(Entity)
        .and_where(Column::GuildId.eq(guild))
        .and_where(Column::Class.eq(class))
        .and_where(Column::State.is_in([State::Queued, State::Running]))
        .cond_where(Condition::any().add(Column::State.eq(State::Running)).add(available))
        .to_owned()
}

/// The state in which the guild's next job of the class is inserted.
pub(super) fn state_of_next<C: ConnectionTrait>(
    conn: &C,
    (guild, class): (GuildId, Class),
    now: Timestamp,
) -> SimpleExpr {
    let share = share(class);
    if share == u64::MAX {
        return Expr::value(State::Queued);
    }
    let full = in_flight(conn, (guild, class), now).limit(1).offset(share - 1).to_owned();
    CaseStatement::new()
        .case(Expr::exists(full), Expr::value(State::Held))
        .finally(Expr::value(State::Queued))
        .into()
}

/// Releases held jobs of the guild until `most` are in flight, oldest first. Chunks wait until their plan is made.
pub async fn release<C: ConnectionTrait>(
    conn: &C,
    (guild, class): (GuildId, Class),
    most: u64,
    now: Timestamp,
) -> Result<Vec<Ticket>, DbErr> {
    let counted = Query::select()
        .expr_as(Expr::val(1).count(), Alias::new("count"))
        .from_subquery(in_flight(conn, (guild, class), now), Alias::new("in_flight"))
        .to_owned();
    let count: Option<i64> =
        conn.query_one(&counted).await?.map(|row| row.try_get("", "count")).transpose()?;
    let free = most.saturating_sub(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0));
    if free == 0 {
        return Ok(Vec::new());
    }
    let mut which = Query::select();
    which
        .expr_as(Expr::col((Entity, Column::JobId)), Alias::new("id"))
        .from(Entity)
        .and_where(Column::GuildId.eq(guild))
        .and_where(Column::Class.eq(class))
        .and_where(Column::State.eq(State::Held))
        .cond_where(may_begin())
        .order_by(Column::JobId, Order::Asc)
        .limit(free);
    if conn.get_database_backend() == DatabaseBackend::Postgres {
        which.lock_with_tables_behavior(LockType::Update, [Entity], LockBehavior::SkipLocked);
    }
    let mut update = Query::update();
    update
        .table(Entity)
        .value(Column::State, Expr::value(State::Queued))
        .value(Column::RunAt, time::now(conn, now));
    Ok(update_chosen(conn, which, update).await?.iter().map(super::Model::ticket).collect())
}

/// A chunk's parent has made its plan.
fn may_begin() -> Condition {
    let parent = Alias::new("parent");
    let planned = Query::select()
        .expr(Expr::value(1))
        .from_as(Entity, parent.clone())
        .and_where(Expr::col((parent.clone(), Column::JobId)).equals((Entity, Column::ParentId)))
        .and_where(Expr::col((parent, Column::State)).eq(State::Waiting))
        .to_owned();
    Condition::any().add(Column::ParentId.is_null()).add(Expr::exists(planned))
}

/// Releases the next jobs of guilds whose jobs ended.
pub async fn release_after<C: ConnectionTrait>(
    conn: &C,
    ended: &[(GuildId, Class)],
    now: Timestamp,
) -> Result<Vec<Ticket>, DbErr> {
    let mut released = Vec::new();
    for (guild, class) in with_held(conn, ended).await? {
        released.extend(release(conn, (guild, class), share(class), now).await?);
    }
    Ok(released)
}

/// Of these guilds and classes the ones that have held jobs.
async fn with_held<C: ConnectionTrait>(
    conn: &C,
    ended: &[(GuildId, Class)],
) -> Result<Vec<(GuildId, Class)>, DbErr> {
    let guilds = ended.iter().map(|(guild, _)| *guild);
    let held: Vec<(GuildId, Class)> = Entity::find()
        .select_only()
        .column(Column::GuildId)
        .column(Column::Class)
        .distinct()
        .filter(Column::State.eq(State::Held))
        .filter(Column::GuildId.is_in(guilds))
        .into_tuple()
        .all(conn)
        .await?;
    Ok(held.into_iter().filter(|held| ended.contains(held)).collect())
}

/// Guilds with held jobs of the class that may begin, and none in flight whose end would release them.
pub async fn stranded<C: ConnectionTrait>(
    conn: &C,
    class: Class,
    now: Timestamp,
    most: u64,
) -> Result<Vec<(GuildId, Class)>, DbErr> {
    let other = Alias::new("other");
    let column = |column| Expr::col((other.clone(), column));
    let available = Condition::all()
        .add(column(Column::State).eq(State::Queued))
        .add(column(Column::RunAt).lte(time::now(conn, now)));
    let in_flight = Query::select()
        .expr(Expr::value(1))
        .from_as(Entity, other.clone())
        .and_where(column(Column::GuildId).equals((Entity, Column::GuildId)))
        .and_where(column(Column::Class).equals((Entity, Column::Class)))
        .and_where(column(Column::State).is_in([State::Queued, State::Running]))
        .cond_where(Condition::any().add(column(Column::State).eq(State::Running)).add(available))
        .to_owned();
    Entity::find()
        .select_only()
        .column(Column::GuildId)
        .column(Column::Class)
        .distinct()
        .filter(Column::State.eq(State::Held))
        .filter(Column::Class.eq(class))
        .filter(Column::GuildId.is_not_null())
        .filter(may_begin())
        .filter(Expr::exists(in_flight).not())
        .limit(most)
        .into_tuple()
        .all(conn)
        .await
}
