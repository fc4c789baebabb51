//! Scores of staff: weighted actions, and a point for each full ten minutes of activity (docs/rules.md 6).

use std::cmp::Reverse;
use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::period::Span;
use crate::staff_action::ActionType;
use crate::staff_action::totals::ActionCount;
use crate::staff_directory::Described;
use crate::staff_session::totals::Total;
use crate::{ChatId, Conn, Result, Timestamp, guild, loa, staff_action, staff_directory, staff_session};

/// Seconds of activity that are worth a point.
const SECONDS_PER_POINT: i64 = 10 * 60;

#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LeaderboardRow {
    pub chat_id: ChatId,
    #[schema(example = "Moderator")]
    pub role_name: String,
    #[schema(minimum = 0, example = 120)]
    pub score: i64,
    /// Actions that count.
    #[schema(minimum = 0, example = 31)]
    pub actions: i64,
    /// Days of the period, so far, on which they were on leave.
    #[schema(minimum = 0, example = 0)]
    pub on_leave_days: i64,
}

/// The ranking of a guild's current staff for a span of time.
pub async fn list(
    conn: &impl Conn,
    guild: &guild::Model,
    span: Span,
    now: Timestamp,
) -> Result<Vec<LeaderboardRow>> {
    let id = guild.guild_id;
    let members = staff_directory::list(conn, id, now).await?;
    let counts = staff_action::totals::of_guild(conn, id, ActionType::ALL, span).await?;
    let active = staff_session::totals::of_guild(conn, id, span).await?;
    let settings = guild.settings();
    let mut rows = rank(members, &counts, &active, &settings.score_weights);
    let on_leave = loa::days(conn, id, span, &settings, now).await?;
    for row in &mut rows {
        row.on_leave_days = on_leave.get(&row.chat_id).copied().unwrap_or(0);
    }
    Ok(rows)
}

/// All current staff, highest score first, ties by chat id.
fn rank(
    members: Vec<Described>,
    counts: &[ActionCount],
    active: &[Total],
    weights: &Value,
) -> Vec<LeaderboardRow> {
    let mut done: HashMap<ChatId, (i64, i64)> = HashMap::new();
    for entry in counts {
        let (score, actions) = done.entry(entry.staff_id).or_default();
        *score += entry.count * weight(weights, entry.action_type);
        *actions += entry.count;
    }
    for total in active {
        done.entry(total.staff_id).or_default().0 += total.seconds / SECONDS_PER_POINT;
    }
    let mut rows: Vec<LeaderboardRow> = members
        .into_iter()
        .map(|member| {
            let (score, actions) = done.get(&member.chat_id).copied().unwrap_or_default();
            let (chat_id, role_name) = (member.chat_id, member.role_name);
            LeaderboardRow { chat_id, role_name, score, actions, on_leave_days: 0 }
        })
        .collect();
    rows.sort_by_key(|row| (Reverse(row.score), row.chat_id));
    rows
}

/// The guild's weight of an action, otherwise the default of docs/rules.md 6.
fn weight(weights: &Value, action_type: ActionType) -> i64 {
    weights.get(action_type.name()).and_then(Value::as_i64).unwrap_or(action_type.default_points())
}

#[cfg(test)]
mod tests;
