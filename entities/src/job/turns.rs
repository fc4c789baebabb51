//! Fair queue: a guild has a limited number of jobs of a class in flight, the rest are held, and the end of each
//! releases the next. So no guild starves the others.
//!
//! Jobs that wait for their `run_at` are not in flight. Two simultaneous enqueues may both take the last slot, which is
//! harmless. The end of the last job in flight may miss a concurrent enqueue, which leaves a job held with nothing in
//! flight: [`stranded`] finds it.

use std::collections::{HashMap, HashSet};

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Alias, CaseStatement, Expr, ExprTrait, LockBehavior, LockType, Query, SimpleExpr};
use sea_orm::{Condition, DatabaseBackend, Order, QuerySelect};

use super::batch::{update_chosen, whole_row};
use super::model::{Class, Column, Entity, JobMessage, Model, State};
use super::time;
use crate::{Conn, GuildId, Result, Timestamp, lists};

/// The share of classes whose jobs are never held.
const UNLIMITED: u64 = u64::MAX;

/// How many jobs of a class one guild may have in flight.
pub fn share(class: Class) -> u64 {
    match class {
        Class::Interactive => 8,
        Class::Default | Class::Delivery => 4,
        Class::Bulk => 2,
        // Rows without a guild, and classes that run one job at a time.
        Class::Maintenance | Class::Quarantine => UNLIMITED,
    }
}

/// Not an `OR`: for that Postgres reads all queued and running jobs rather than those of the guild.
fn is_in_flight(conn: &impl Conn, column: impl Fn(Column) -> SimpleExpr, now: Timestamp) -> SimpleExpr {
    let runs_or_may: SimpleExpr = CaseStatement::new()
        .case(column(Column::State).eq(State::Running.literal()), Expr::value(true))
        .finally(column(Column::RunAt).lte(time::now(conn, now)))
        .into();
    column(Column::State).is_in([State::Queued.literal(), State::Running.literal()]).and(runs_or_may)
}

/// The state of one job in the statement that inserts it: as [`InFlight`] decides, without a round trip for a waiting
/// caller. For many jobs, the subquery would be planned for each.
pub(super) fn state_of_one(conn: &impl Conn, guild: GuildId, class: Class, now: Timestamp) -> SimpleExpr {
    let share = share(class);
    if share == UNLIMITED {
        return Expr::value(State::Queued);
    }
    let full = Query::select()
        .expr(Expr::value(1))
        .from(Entity)
        .and_where(Column::GuildId.eq(guild))
        .and_where(Column::Class.eq(class))
        .and_where(is_in_flight(conn, Column::into_expr, now))
        .limit(1)
        .offset(share - 1)
        .to_owned();
    CaseStatement::new()
        .case(Expr::exists(full), Expr::value(State::Held))
        .finally(Expr::value(State::Queued))
        .into()
}

/// The number of jobs in flight by guild and class.
pub(super) struct InFlight(HashMap<(GuildId, Class), u64>);

impl InFlight {
    pub(super) async fn read(conn: &impl Conn, guilds: HashSet<GuildId>, now: Timestamp) -> Result<Self> {
        if guilds.is_empty() {
            return Ok(Self(HashMap::new()));
        }
        let counts: Vec<(GuildId, Class, i64)> = Entity::find()
            .select_only()
            .columns([Column::GuildId, Column::Class])
            .column_as(Column::JobId.count(), "count")
            .filter(lists::any_of(conn, Column::GuildId, guilds))
            .filter(is_in_flight(conn, Column::into_expr, now))
            .group_by(Column::GuildId)
            .group_by(Column::Class)
            .into_tuple()
            .all(conn)
            .await?;
        let count = |(guild, class, count)| ((guild, class), u64::try_from(count).unwrap_or(0));
        Ok(Self(counts.into_iter().map(count).collect()))
    }

    fn of(&self, guild: GuildId, class: Class) -> u64 {
        self.0.get(&(guild, class)).copied().unwrap_or(0)
    }

    /// The state of the guild's next job of the class: in flight or held.
    pub(super) fn add(&mut self, guild: GuildId, class: Class) -> State {
        if self.of(guild, class) >= share(class) {
            return State::Held;
        }
        *self.0.entry((guild, class)).or_default() += 1;
        State::Queued
    }
}

/// Releases held jobs of the guild until `most` are in flight, oldest first. Chunks wait for their parent's plan.
pub async fn release(
    conn: &impl Conn,
    guild: GuildId,
    class: Class,
    most: u64,
    now: Timestamp,
) -> Result<Vec<JobMessage>> {
    if most == UNLIMITED {
        return Ok(Vec::new());
    }
    let in_flight = InFlight::read(conn, HashSet::from([guild]), now).await?;
    let free = most.saturating_sub(in_flight.of(guild, class));
    if free == 0 {
        return Ok(Vec::new());
    }
    let mut which = Query::select();
    which
        .expr_as(Expr::col((Entity, Column::JobId)), "id")
        .from(Entity)
        .and_where(Column::GuildId.eq(guild))
        .and_where(Column::Class.eq(class))
        .and_where(State::Held.is())
        .cond_where(may_begin())
        .order_by(Column::JobId, Order::Asc)
        .limit(free);
    if conn.get_database_backend() == DatabaseBackend::Postgres {
        which.lock_with_tables_behavior(LockType::Update, [Entity], LockBehavior::SkipLocked);
    }
    let mut update = Query::update();
    update.value(Column::State, Expr::value(State::Queued)).value(Column::RunAt, time::now(conn, now));
    let released: Vec<Model> = update_chosen(conn, which, update, whole_row()).await?;
    Ok(released.iter().map(Model::message).collect())
}

/// The plan of a chunk's parent is complete.
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

/// Whether other jobs of its guild and class are held, for a statement that ends jobs.
pub(super) fn holds_others() -> SimpleExpr {
    let held = |column: Column| Expr::col(("held", column));
    let others = Query::select()
        .expr(Expr::value(1))
        .from_as(Entity, "held")
        .and_where(held(Column::GuildId).equals((Entity, Column::GuildId)))
        .and_where(held(Column::Class).equals((Entity, Column::Class)))
        .and_where(held(Column::State).eq(State::Held.literal()))
        .to_owned();
    Expr::exists(others)
}

/// Guilds and classes with held jobs that may start but no job in flight whose end would release them.
pub async fn stranded(conn: &impl Conn, now: Timestamp, most: u64) -> Result<Vec<(GuildId, Class)>> {
    let of = |table| move |column: Column| Expr::col((Alias::new(table), column));
    let (waits, other) = (of("waits"), of("other"));
    let held = Query::select()
        .distinct()
        .columns([Column::GuildId, Column::Class])
        .from(Entity)
        .and_where(State::Held.is())
        .and_where(Column::GuildId.is_not_null())
        .cond_where(may_begin())
        .to_owned();
    // Not an EXISTS, which Postgres may turn into a join with all jobs in flight.
    let any_in_flight = Query::select()
        .expr(Expr::value(1))
        .from_as(Entity, Alias::new("other"))
        .and_where(other(Column::GuildId).eq(waits(Column::GuildId)))
        .and_where(other(Column::Class).eq(waits(Column::Class)))
        .and_where(is_in_flight(conn, other, now))
        .limit(1)
        .to_owned();
    let stranded = Query::select()
        .exprs([waits(Column::GuildId), waits(Column::Class)])
        .from_subquery(held, Alias::new("waits"))
        .and_where(SimpleExpr::from(any_in_flight).is_null())
        .limit(most)
        .to_owned();
    let rows = conn.query_all(&stranded).await?;
    rows.iter().map(|row| Ok((row.try_get("", "guild_id")?, row.try_get("", "class")?))).collect()
}
