//! How many actions staff members took, in all or since a moment.
//!
//! `nth` numbers a member's actions of one type, so a total is the number on the last row less the number on the last
//! row before the span: two index descents for each member and type, however many rows there are.

use sea_orm::entity::prelude::*;
use sea_orm::{FromQueryResult, QuerySelect, Statement};

use super::{ActionType, Column, Entity};
use crate::{ChatId, GuildId, Timestamp};

/// How many actions of one type one staff member took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, FromQueryResult)]
pub struct Tally {
    pub staff_id: ChatId,
    pub action_type: ActionType,
    pub count: i64,
}

/// The members are walked along the index by ever larger ids. `{types}` is a list of constants, `{before}` how many
/// there were before the span; `$1` is the guild.
const TALLIES: &str = "
WITH RECURSIVE staff (staff_id) AS (
    SELECT (SELECT a.staff_id FROM staff_action a WHERE a.guild_id = $1 ORDER BY a.staff_id LIMIT 1)
    UNION ALL
    SELECT (SELECT a.staff_id FROM staff_action a WHERE a.guild_id = $1 AND a.staff_id > staff.staff_id
            ORDER BY a.staff_id LIMIT 1)
    FROM staff WHERE staff.staff_id IS NOT NULL
),
kind (action_type) AS (VALUES {types})
SELECT staff.staff_id, kind.action_type,
    coalesce((SELECT a.nth FROM staff_action a
        WHERE a.guild_id = $1 AND a.staff_id = staff.staff_id AND a.action_type = kind.action_type
        ORDER BY a.nth DESC LIMIT 1), 0)
    - {before} AS count
FROM staff CROSS JOIN kind WHERE staff.staff_id IS NOT NULL";

/// `$2` is the moment the span begins.
const BEFORE: &str = "coalesce((SELECT a.nth FROM staff_action a
        WHERE a.guild_id = $1 AND a.staff_id = staff.staff_id AND a.action_type = kind.action_type
        AND a.created_at < $2
        ORDER BY a.created_at DESC, a.nth DESC LIMIT 1), 0)";

/// Tallies of these types that are not zero, by member and type; with `since`, of actions at or after it.
pub async fn of_guild<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    types: &[ActionType],
    since: Option<Timestamp>,
) -> Result<Vec<Tally>, DbErr> {
    if types.is_empty() {
        return Ok(Vec::new());
    }
    let constants: Vec<String> = types.iter().map(|one| format!("('{}')", one.name())).collect();
    let before = if since.is_some() { BEFORE } else { "0" };
    let sql = TALLIES.replace("{types}", &constants.join(", ")).replace("{before}", before);
    let values = std::iter::once(guild.into()).chain(since.map(Into::into));
    let statement = Statement::from_sql_and_values(conn.get_database_backend(), sql, values);
    let mut tallies = Tally::find_by_statement(statement).all(conn).await?;
    tallies.retain(|tally| tally.count > 0);
    tallies.sort_unstable();
    Ok(tallies)
}

/// All actions of one staff member.
pub async fn of_staff<C: ConnectionTrait>(conn: &C, guild: GuildId, staff: ChatId) -> Result<i64, DbErr> {
    let numbers: Vec<i64> = Entity::find()
        .select_only()
        .column_as(Column::Nth.max(), "last")
        .filter(Column::GuildId.eq(guild))
        .filter(Column::StaffId.eq(staff))
        .group_by(Column::ActionType)
        .into_tuple()
        .all(conn)
        .await?;
    Ok(numbers.iter().sum())
}

/// How many actions of the type do not count, because they wait for approval or were refused it.
pub async fn not_counting<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    action_type: ActionType,
    since: Option<Timestamp>,
) -> Result<Vec<(ChatId, i64)>, DbErr> {
    Entity::find()
        .select_only()
        .column(Column::StaffId)
        .column_as(Column::ActionId.count(), "count")
        .filter(Column::GuildId.eq(guild))
        .filter(Column::ActionType.eq(action_type))
        .filter(Column::CreatedAt.gte(since.unwrap_or(Timestamp::UNIX_EPOCH)))
        // Written like the index's own condition, or the index is not used.
        .filter(Column::Counts.eq(false))
        .group_by(Column::StaffId)
        .into_tuple()
        .all(conn)
        .await
}
