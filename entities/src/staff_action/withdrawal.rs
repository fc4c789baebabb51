//! Takes the numbers from actions that were undone.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, Query, SimpleExpr};
use sea_orm::{QueryTrait, Value};

use super::numbering::ABOVE_ALL_NUMBERS;
use super::{ActionType, Column, Entity, Model};
use crate::by_id::ROWS_PER_STATEMENT;
use crate::{ActionId, ChatId, Conn, GuildId, Result, Timestamp, lists, pending_action};

/// What a member did at that moment, and no longer counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Undone {
    pub staff: ChatId,
    pub action_type: ActionType,
    pub at: Timestamp,
    pub target: String,
}

/// The later actions of their members and types move up; one that waits for approval waits no longer. `conn` is a transaction.
pub async fn withdraw(conn: &impl Conn, guild: GuildId, undone: BTreeSet<Undone>) -> Result<()> {
    let key =
        |one: Undone| [one.staff.into(), one.action_type.name().into(), one.at.into(), one.target.into()];
    let keys: Vec<_> = undone.into_iter().map(key).collect();
    let waiting = uncounted(conn, guild, keys.clone()).await?;
    pending_action::drop_open(conn, guild, waiting).await?;
    // After that, because it waits for an approval that is under way.
    let numbered = numbered(conn, guild, keys).await?;
    if numbered.is_empty() {
        return Ok(());
    }
    let ids: Vec<_> = numbered.iter().map(|action| action.action_id).collect();
    Entity::update_many()
        .col_expr(Column::Nth, Expr::value(None::<i64>))
        .col_expr(Column::CountedAt, Expr::value(None::<Timestamp>))
        .filter(Column::GuildId.eq(guild))
        .filter(lists::any_of(conn, Column::ActionId, ids))
        .exec(conn)
        .await?;
    let mut gaps: BTreeMap<_, BTreeSet<i64>> = BTreeMap::new();
    for action in numbered {
        gaps.entry((action.staff_id, action.action_type)).or_default().extend(action.nth);
    }
    let moved: Vec<_> = gaps.into_iter().flat_map(|((staff, of), gaps)| between(staff, of, &gaps)).collect();
    for part in moved.chunks(ROWS_PER_STATEMENT) {
        close_gaps(conn, guild, part).await?;
    }
    Ok(())
}

/// Member, type, time, target.
type Key = [Value; 4];

/// Those that have a number.
async fn numbered(conn: &impl Conn, guild: GuildId, keys: Vec<Key>) -> Result<Vec<Model>> {
    let of = |[staff, action_type, at, target]: [SimpleExpr; 4]| {
        let counted = own(guild, staff, action_type, target).filter(Column::Nth.is_not_null());
        let since = counted.filter(Column::CountedAt.into_expr().gte(at.clone()));
        since.filter(Column::CreatedAt.into_expr().eq(at)).into_query()
    };
    lists::of_each(conn, keys, of).await
}

/// Those that have none.
async fn uncounted(conn: &impl Conn, guild: GuildId, keys: Vec<Key>) -> Result<Vec<ActionId>> {
    let of = |[staff, action_type, at, target]: [SimpleExpr; 4]| {
        let uncounted = own(guild, staff, action_type, target).filter(Column::Nth.is_null());
        uncounted.filter(Column::CreatedAt.into_expr().eq(at)).into_query()
    };
    let found: Vec<Model> = lists::of_each(conn, keys, of).await?;
    Ok(found.into_iter().map(|action| action.action_id).collect())
}

fn own(guild: GuildId, staff: SimpleExpr, action_type: SimpleExpr, target: SimpleExpr) -> Select<Entity> {
    Entity::find()
        .filter(Column::GuildId.eq(guild))
        .filter(Column::StaffId.into_expr().eq(staff))
        .filter(Column::ActionType.into_expr().eq(action_type))
        .filter(Column::TargetId.into_expr().eq(target))
}

/// Numbers of a member and type, without the ends.
struct Between {
    staff: ChatId,
    of: ActionType,
    from: i64,
    to: i64,
    /// By how much they move.
    gaps: i64,
}

fn between(staff: ChatId, of: ActionType, gaps: &BTreeSet<i64>) -> Vec<Between> {
    let ends = gaps.iter().skip(1).copied().chain([ABOVE_ALL_NUMBERS]);
    let between = (1..).zip(gaps.iter().copied().zip(ends));
    between.map(|(gaps, (from, to))| Between { staff, of, from, to, gaps }).collect()
}

/// They are moved through unused numbers: a number may collide with a neighbour that is not moved yet.
async fn close_gaps(conn: &impl Conn, guild: GuildId, moved: &[Between]) -> Result<()> {
    let given = |column: &'static str| Expr::col(("given", column));
    let row = |one: &Between| {
        let Between { staff, of, from, to, gaps } = *one;
        [staff.into(), of.name().into(), from.into(), to.into(), gaps.into()]
    };
    let nth = || Column::Nth.into_expr();
    for (above, target) in [
        (0, nth().add(ABOVE_ALL_NUMBERS)),
        (ABOVE_ALL_NUMBERS, nth().sub(ABOVE_ALL_NUMBERS).sub(given("column5"))),
    ] {
        let mut update = Query::update();
        update
            .table(Entity)
            .value(Column::Nth, target)
            .and_where(Column::GuildId.eq(guild))
            .and_where(Column::StaffId.into_expr().eq(given("column1")))
            .and_where(Column::ActionType.into_expr().eq(given("column2")))
            .and_where(Column::Nth.is_not_null())
            .and_where(nth().gt(given("column3").add(above)))
            .and_where(nth().lt(given("column4").add(above)));
        lists::update_from(conn, moved.iter().map(row).collect(), &mut update).await?;
    }
    Ok(())
}
