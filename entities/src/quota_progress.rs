//! Progress of staff members towards a quota (docs/rules.md 6).

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::quota::{Metric, Model};
use crate::{ChatId, Conn, Result, Timestamp, staff_action, staff_directory, staff_session};

/// Progress of one staff member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub staff_id: ChatId,
    pub current: i64,
}

/// Progress of every member that the quota covers since the period began, highest first, ties by chat id.
pub async fn list(
    conn: &impl Conn,
    quota: &Model,
    since: Option<Timestamp>,
    now: Timestamp,
) -> Result<Vec<Progress>> {
    let measured = measure(conn, quota, since).await?;
    let members = staff_directory::list(conn, quota.guild_id, now).await?;
    let mut rows: Vec<Progress> = members
        .iter()
        .filter(|member| quota.scope_role.as_ref().is_none_or(|role| *role == member.role_name))
        .map(|member| Progress {
            staff_id: member.chat_id,
            current: measured.get(&member.chat_id).copied().unwrap_or(0),
        })
        .collect();
    rows.sort_by_key(|row| (Reverse(row.current), row.staff_id));
    Ok(rows)
}

async fn measure(conn: &impl Conn, quota: &Model, since: Option<Timestamp>) -> Result<HashMap<ChatId, i64>> {
    let guild = quota.guild_id;
    let Some(action) = quota.metric.action_type() else {
        let totals = staff_session::totals::of_guild(conn, guild, since).await?;
        let minutes = quota.metric == Metric::Minutes;
        return Ok(totals
            .iter()
            .map(|total| (total.staff_id, if minutes { total.seconds / 60 } else { total.sessions }))
            .collect());
    };
    let counts = staff_action::totals::of_guild(conn, guild, &[action], since).await?;
    Ok(counts.iter().map(|entry| (entry.staff_id, entry.count)).collect())
}
