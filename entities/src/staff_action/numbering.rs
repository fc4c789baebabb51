//! Inserts actions and numbers those that count.

use std::collections::BTreeMap;

use sea_orm::ActiveValue::Set;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, Func, InsertStatement, OnConflict, Query};
use sea_orm::{
    Condition, FromQueryResult, Iterable, QueryOrder, QuerySelect, QueryTrait, Select, SqlErr, Value,
};

use super::{ActionType, ActiveModel, Column, Entity, Model, NewAction};
use crate::{ActionId, ChatId, Conn, GuildId, Result, SessionId, Timestamp, guild, lists, quota};

/// One member's actions of one type, which are numbered together.
#[derive(Debug, Clone, Copy)]
pub struct Sequence {
    pub guild: GuildId,
    pub staff: ChatId,
    pub action_type: ActionType,
}

/// Inserts actions: with the next numbers, or without one where a quota demands approval. `conn` is a transaction.
pub(crate) async fn add(conn: &impl Conn, new: Vec<NewAction>, now: Timestamp) -> Result<Vec<Model>> {
    let mut groups: BTreeMap<_, Vec<NewAction>> = BTreeMap::new();
    for action in new {
        groups
            .entry((action.guild, action.staff, action.action_type, action.session))
            .or_default()
            .push(action);
    }
    let mut added = Vec::new();
    for ((guild, staff, action_type, session), group) in groups {
        let of = Sequence { guild, staff, action_type };
        added.append(&mut add_group(conn, of, session, &group, now).await?);
    }
    Ok(added)
}

/// Inserts actions without numbers.
pub(crate) async fn add_uncounted(
    conn: &impl Conn,
    new: Vec<NewAction>,
    now: Timestamp,
) -> Result<Vec<Model>> {
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let row = |action: NewAction| ActiveModel {
        guild_id: Set(action.guild),
        staff_id: Set(action.staff),
        action_type: Set(action.action_type),
        nth: Set(None),
        counted_at: Set(None),
        target_id: Set(action.target),
        details: Set(action.details),
        session_id: Set(action.session),
        created_at: Set(now),
        ..Default::default()
    };
    Entity::insert_many(new.into_iter().map(row)).exec_with_returning(conn).await
}

/// Above all numbers.
pub(super) const ABOVE_ALL_NUMBERS: i64 = 1 << 40;

/// Moves the numbers above `above`. They are moved through unused numbers: moved by one, a number may collide
/// with a neighbour that is not moved yet.
async fn renumber(conn: &impl Conn, of: Sequence, above: i64, by: i64) -> Result<()> {
    for (rows, distance) in [
        (Column::Nth.gt(above), ABOVE_ALL_NUMBERS),
        (Column::Nth.gt(ABOVE_ALL_NUMBERS), by - ABOVE_ALL_NUMBERS),
    ] {
        let nth = Column::Nth.into_expr().add(distance);
        Entity::update_many()
            .col_expr(Column::Nth, nth)
            .filter(of.condition())
            .filter(rows)
            .exec(conn)
            .await?;
    }
    Ok(())
}

async fn add_group(
    conn: &impl Conn,
    of: Sequence,
    session: Option<SessionId>,
    group: &[NewAction],
    now: Timestamp,
) -> Result<Vec<Model>> {
    for _ in 0..MAX_TRIES {
        let statement = conn.get_database_backend().build(&insertion(conn, of, session, group, now));
        let rows = Model::find_by_statement(statement).all(conn).await?;
        if rows.len() == group.len() {
            return Ok(rows);
        }
        // Another transaction took the first numbers and has committed: its actions may count from a later time.
        for row in rows {
            Entity::delete_by_id(row.action_id).exec(conn).await?;
        }
    }
    Err(no_number())
}

/// Each failed try means that another writer numbered an action of the same member and type meanwhile.
const MAX_TRIES: usize = 100;

fn no_number() -> DbErr {
    DbErr::Custom("no place in the sequence of a staff member's actions".to_owned())
}

/// One statement, because each costs a round trip while the guild's other changes wait.
fn insertion(
    conn: &impl Conn,
    of: Sequence,
    session: Option<SessionId>,
    group: &[NewAction],
    now: Timestamp,
) -> InsertStatement {
    let given = |n: usize| Expr::col(("given", format!("column{n}")));
    let waits = || Expr::exists(quota::demanding_approval(of.guild, of.staff, of.action_type));
    let nth = CaseStatement::new()
        .case(waits(), Expr::value(None::<i64>))
        .finally(Expr::from(Func::coalesce([of.last(Column::Nth), 0_i64.into()])).add(given(1)));
    // Clocks of two processes may differ, so that it never precedes the previous number's.
    let counted_at = CaseStatement::new()
        .case(waits(), Expr::value(None::<Timestamp>))
        .case(of.last(Column::CountedAt).gt(now), of.last(Column::CountedAt))
        .finally(Expr::value(now));
    let taken = OnConflict::columns([Column::GuildId, Column::StaffId, Column::ActionType, Column::Nth])
        .target_and_where(Expr::col(Column::Nth).is_not_null())
        .do_nothing()
        .to_owned();
    let values: [(Column, Expr); 9] = [
        (Column::GuildId, Expr::value(of.guild)),
        (Column::StaffId, Expr::value(of.staff)),
        (Column::ActionType, Expr::value(of.action_type)),
        (Column::Nth, nth.into()),
        (Column::CountedAt, counted_at.into()),
        (Column::TargetId, given(2)),
        (Column::Details, given(3)),
        (Column::SessionId, Expr::value(session)),
        (Column::CreatedAt, Expr::value(now)),
    ];
    let (columns, values): (Vec<_>, Vec<_>) = values.into_iter().unzip();
    let rows = (1_i64..).zip(group).map(|(n, new)| {
        [n.into(), new.target.clone().into(), Value::Json(Some(Box::new(new.details.clone())))]
    });
    let mut rows_of = Query::select();
    rows_of.from_subquery(lists::exactly(conn, rows.collect()), "given");
    for value in values {
        rows_of.expr(value);
    }
    // SQLite would take `ON CONFLICT` for the condition of a join.
    rows_of.and_where(Expr::value(true));
    let mut insert = Query::insert();
    // Each by its name: a later release may add columns while this program has the statement prepared.
    let returned = Query::returning().columns(Column::iter());
    insert.into_table(Entity).columns(columns).on_conflict(taken).returning(returned);
    // Fails only where the numbers of columns differ.
    drop(insert.select_from(rows_of));
    insert
}

impl Sequence {
    /// A column of the action with the highest number.
    fn last(self, column: Column) -> Expr {
        let last = self.latest().select_only().column(column).limit(1);
        Expr::SubQuery(None, Box::new(last.into_query().into()))
    }

    /// By descending number. The order is that of an index with both columns, or a plan may read all and sort them.
    fn latest(self) -> Select<Entity> {
        self.counted().order_by_desc(Column::CountedAt).order_by_desc(Column::Nth)
    }

    fn counted(self) -> Select<Entity> {
        Entity::find().filter(self.condition())
    }

    fn condition(self) -> Condition {
        Condition::all()
            .add(Column::GuildId.eq(self.guild))
            .add(Column::StaffId.eq(self.staff))
            .add(Column::ActionType.eq(self.action_type))
            // Written like the index's own condition, or the index is not used.
            .add(Column::Nth.is_not_null())
    }
}

/// Marks an action as approved: it counts at the time it was done, and the member's later actions of its type move up by
/// one. `conn` is a transaction. The guild's lock serializes approvals.
pub(crate) async fn approve(conn: &impl Conn, of: Sequence, action: ActionId, done: Timestamp) -> Result<()> {
    guild::find_for_update(conn, of.guild).await?;
    for _ in 0..MAX_TRIES {
        // A number that a new action took meanwhile must not roll back the caller's transaction.
        conn.execute_unprepared("SAVEPOINT number").await?;
        match try_number(conn, of, action, done).await {
            Ok(()) => return conn.execute_unprepared("RELEASE SAVEPOINT number").await.map(drop),
            Err(error) if matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_))) => {
                conn.execute_unprepared("ROLLBACK TO SAVEPOINT number").await?;
            }
            Err(error) => return Err(error),
        }
    }
    Err(no_number())
}

async fn try_number(conn: &impl Conn, of: Sequence, action: ActionId, done: Timestamp) -> Result<()> {
    let number = |rows: Select<Entity>| rows.select_only().column(Column::Nth).into_tuple::<i64>();
    let before = number(of.latest().filter(Column::CountedAt.lte(done))).one(conn).await?;
    // Older rows may have been deleted: then the first remaining one gives their number.
    let first = number(of.counted().order_by_asc(Column::Nth)).one(conn).await?;
    let nth = before.map(|nth| nth + 1).or(first).unwrap_or(1);
    renumber(conn, of, nth - 1, 1).await?;
    Entity::update_many()
        .col_expr(Column::Nth, Expr::value(nth))
        .col_expr(Column::CountedAt, Expr::value(done))
        .filter(Column::GuildId.eq(of.guild))
        .filter(Column::ActionId.eq(action))
        .exec(conn)
        .await?;
    Ok(())
}
