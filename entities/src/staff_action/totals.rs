//! Totals of staff members' counted actions, overall or since a given time.
//!
//! `nth` numbers a member's counted actions of one type, so a total is the number on the last row less the number on
//! the last row before the period: two index descents for each member and type, regardless of the row count.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{ExprTrait, SimpleExpr};
use sea_orm::{FromQueryResult, QueryOrder, QuerySelect, QueryTrait, Statement};

use super::{ActionType, Column, Entity};
use crate::{ChatId, Conn, GuildId, Result, Timestamp, lists};

/// How many actions of one type by one staff member count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, FromQueryResult)]
pub struct ActionCount {
    pub staff_id: ChatId,
    pub action_type: ActionType,
    pub count: i64,
}

/// Walks the members along the index by ascending id. `{types}` is a list of constants, `{before}` the count before the
/// span; `$1` is the guild.
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
SELECT staff.staff_id, kind.action_type,
    coalesce((SELECT a.nth FROM staff_action a
        WHERE a.guild_id = $1 AND a.staff_id = staff.staff_id AND a.action_type = kind.action_type
        AND a.nth IS NOT NULL ORDER BY a.nth DESC LIMIT 1), 0)
    - {before} AS count
FROM staff CROSS JOIN kind WHERE staff.staff_id IS NOT NULL";

/// `$2` is the start of the span.
const BEFORE: &str = "coalesce((SELECT a.nth FROM staff_action a
        WHERE a.guild_id = $1 AND a.staff_id = staff.staff_id AND a.action_type = kind.action_type
        AND a.nth IS NOT NULL AND a.counted_at < $2
        ORDER BY a.counted_at DESC, a.nth DESC LIMIT 1), 0)";

/// Non-zero totals of these types, by member and type; with `since`, of actions that count from then on or later.
pub async fn of_guild(
    conn: &impl Conn,
    guild: GuildId,
    types: &[ActionType],
    since: Option<Timestamp>,
) -> Result<Vec<ActionCount>> {
    if types.is_empty() {
        return Ok(Vec::new());
    }
    let constants: Vec<String> = types.iter().map(|one| format!("('{}')", one.name())).collect();
    let before = if since.is_some() { BEFORE } else { "0" };
    let sql = TALLIES.replace("{types}", &constants.join(", ")).replace("{before}", before);
    let values = std::iter::once(guild.into()).chain(since.map(Into::into));
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
