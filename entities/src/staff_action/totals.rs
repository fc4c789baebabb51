//! Totals of staff members' counted actions, in all or in a span of time.
//!
//! `nth` numbers a member's counted actions of one type, so a total is the number on the last row less the number on
//! the last row before the span: two index descents for each member and type, regardless of the row count.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{ExprTrait, SimpleExpr};
use sea_orm::{FromQueryResult, QueryOrder, QuerySelect, QueryTrait, Statement};

use super::{ActionType, Column, Entity};
use crate::period::Span;
use crate::{ChatId, Conn, GuildId, Result, Timestamp, lists};

/// How many actions of one type by one staff member count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, FromQueryResult)]
pub struct ActionCount {
    pub staff_id: ChatId,
    pub action_type: ActionType,
    pub count: i64,
}

/// Walks the members along the index by ascending id. `{types}` is a list of constants, `{until}` the count at the end of
/// the span and `{before}` at its start; `$1` is the guild.
const TALLIES: &str = "
WITH RECURSIVE staff (staff_id) AS (
    SELECT (SELECT a.staff_id FROM staff_action a WHERE a.guild_id = $1 AND a.nth IS NOT NULL
            ORDER BY a.staff_id LIMIT 1)
    UNION ALL
    SELECT (SELECT a.staff_id FROM staff_action a WHERE a.guild_id = $1 AND a.nth IS NOT NULL
            AND a.staff_id > staff.staff_id ORDER BY a.staff_id LIMIT 1)
    FROM staff WHERE staff.staff_id IS NOT NULL
),
kind (action_type) AS (VALUES {types})
SELECT staff.staff_id, kind.action_type, {until} - {before} AS count
FROM staff CROSS JOIN kind WHERE staff.staff_id IS NOT NULL";

const ALL: &str = "coalesce((SELECT a.nth FROM staff_action a
        WHERE a.guild_id = $1 AND a.staff_id = staff.staff_id AND a.action_type = kind.action_type
        AND a.nth IS NOT NULL ORDER BY a.nth DESC LIMIT 1), 0)";

/// `{at}` is a moment.
const BEFORE: &str = "coalesce((SELECT a.nth FROM staff_action a
        WHERE a.guild_id = $1 AND a.staff_id = staff.staff_id AND a.action_type = kind.action_type
        AND a.nth IS NOT NULL AND a.counted_at < {at}
        ORDER BY a.counted_at DESC, a.nth DESC LIMIT 1), 0)";

/// Non-zero totals of these types, by member and type, of actions that count in the span.
pub async fn of_guild(
    conn: &impl Conn,
    guild: GuildId,
    types: &[ActionType],
    span: impl Into<Span>,
) -> Result<Vec<ActionCount>> {
    if types.is_empty() {
        return Ok(Vec::new());
    }
    let constants: Vec<String> = types.iter().map(|one| format!("('{}')", one.name())).collect();
    let (span, mut values) = (span.into(), vec![guild.into()]);
    let mut before = |moment: Timestamp| {
        values.push(moment.into());
        BEFORE.replace("{at}", &format!("${}", values.len()))
    };
    let from = span.since.map_or_else(|| "0".to_owned(), &mut before);
    let until = span.until.map_or_else(|| ALL.to_owned(), &mut before);
    let sql = TALLIES.replace("{types}", &constants.join(", "));
    let sql = sql.replace("{until}", &until).replace("{before}", &from);
    let statement = Statement::from_sql_and_values(conn.get_database_backend(), sql, values);
    let mut counts = ActionCount::find_by_statement(statement).all(conn).await?;
    counts.retain(|entry| entry.count > 0);
    counts.sort_unstable();
    Ok(counts)
}

/// All actions of one staff member that count.
pub async fn of_staff(conn: &impl Conn, guild: GuildId, staff: ChatId) -> Result<i64> {
    #[derive(FromQueryResult)]
    struct Last {
        nth: i64,
    }
    let types = ActionType::ALL.iter().map(|one| [one.name().into()]).collect();
    let last = |[action_type]: [SimpleExpr; 1]| {
        let actions = Entity::find()
            .filter(Column::GuildId.eq(guild))
            .filter(Column::StaffId.eq(staff))
            .filter(Column::ActionType.into_expr().eq(action_type))
            .filter(Column::Nth.is_not_null());
        actions.order_by_desc(Column::Nth).limit(1).select_only().column(Column::Nth).into_query()
    };
    let last: Vec<Last> = lists::of_each(conn, types, last).await?;
    Ok(last.iter().map(|last| last.nth).sum())
}
