//! GET /staff/leaderboard/:guildId

use std::cmp::Reverse;
use std::collections::HashMap;

use entities::ChatId;
use entities::quota::Period;
use entities::staff_action::totals::Tally;
use entities::staff_action::{self, ActionType};
use entities::staff_directory::{self, Described};
use entities::staff_session::{self, totals::Total};
use serde::Serialize;
use serde_json::Value;

use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::query::Query;
use crate::http::reply::Reply;
use crate::staff::period;

/// So many seconds of activity are worth a point.
const SECONDS_A_POINT: i64 = 10 * 60;

#[derive(Serialize)]
struct Leaderboard {
    period: Period,
    leaderboard: Vec<Row>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Row {
    chat_id: ChatId,
    role_name: String,
    score: i64,
    actions: i64,
}

pub(crate) async fn leaderboard(call: Call) -> Result<Reply, ApiError> {
    let period = asked(&call.query)?;
    let (conn, guild, now) = (call.read(), call.guild(), call.now());
    let settings = period::settings(&call).await?;
    let since = period::begin(period, &settings, now);
    let (members, tallies, active) = tokio::try_join!(
        staff_directory::list(conn, guild, now),
        staff_action::totals::of_guild(conn, guild, ActionType::ALL, since),
        staff_session::totals::of_guild(conn, guild, since)
    )?;
    let leaderboard = rank(members, &tallies, &active, &settings.score_weights);
    Reply::data(&Leaderboard { period, leaderboard })
}

fn asked(query: &Query) -> Result<Period, ApiError> {
    match query.text("period") {
        None | Some("week") => Ok(Period::Week),
        Some("month") => Ok(Period::Month),
        Some("all") => Ok(Period::All),
        Some(other) => Err(ApiError::field("period", &other.into(), "`week`, `month` or `all`")),
    }
}

/// Everybody who is staff now, highest score first, ties by chat id.
fn rank(members: Vec<Described>, tallies: &[Tally], active: &[Total], weights: &Value) -> Vec<Row> {
    let mut done: HashMap<ChatId, (i64, i64)> = HashMap::new();
    for tally in tallies {
        let (score, actions) = done.entry(tally.staff_id).or_default();
        *score += tally.count * weight(weights, tally.action_type);
        *actions += tally.count;
    }
    for total in active {
        done.entry(total.staff_id).or_default().0 += total.seconds / SECONDS_A_POINT;
    }
    let mut rows: Vec<Row> = members
        .into_iter()
        .map(|member| {
            let (score, actions) = done.get(&member.chat_id).copied().unwrap_or_default();
            Row { chat_id: member.chat_id, role_name: member.role_name, score, actions }
        })
        .collect();
    rows.sort_by_key(|row| (Reverse(row.score), row.chat_id));
    rows
}

/// The guild's weight of an action, else that of docs/rules.md 6.
fn weight(weights: &Value, action_type: ActionType) -> i64 {
    let default = match action_type {
        ActionType::Ban => 5,
        ActionType::Mute | ActionType::Kick => 3,
        ActionType::Warn => 2,
        ActionType::Unban | ActionType::Unmute | ActionType::Custom => 1,
    };
    weights.get(action_type.name()).and_then(Value::as_i64).unwrap_or(default)
}

#[cfg(test)]
mod tests;
