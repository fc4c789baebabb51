//! Progress of staff members towards a quota (docs/rules.md 6).

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::guild::Settings;
use crate::period::Span;
use crate::quota::{Metric, Model};
use crate::{ChatId, Conn, Result, Timestamp, loa, staff_action, staff_directory, staff_session};

/// Progress of one staff member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub staff_id: ChatId,
    pub current: i64,
    /// Days of the span, so far, on which the member was on leave.
    pub on_leave_days: i64,
}

/// Progress in a span of time of every member that the quota covers, highest first, ties by chat id.
pub async fn list(
    conn: &impl Conn,
    quota: &Model,
    span: Span,
    settings: &Settings,
    now: Timestamp,
) -> Result<Vec<Progress>> {
    let measured = measure(conn, quota, span).await?;
    let on_leave = loa::days(conn, quota.guild_id, span, settings, now).await?;
    let members = staff_directory::list(conn, quota.guild_id, now).await?;
    let mut rows: Vec<Progress> = members
        .iter()
        .filter(|member| quota.scope_role.as_ref().is_none_or(|role| *role == member.role_name))
        .map(|member| Progress {
            staff_id: member.chat_id,
            current: measured.get(&member.chat_id).copied().unwrap_or(0),
            on_leave_days: on_leave.get(&member.chat_id).copied().unwrap_or(0),
        })
        .collect();
    rows.sort_by_key(|row| (Reverse(row.current), row.staff_id));
    Ok(rows)
}

async fn measure(conn: &impl Conn, quota: &Model, span: Span) -> Result<HashMap<ChatId, i64>> {
    let guild = quota.guild_id;
    let Some(action) = quota.metric.action_type() else {
        let totals = staff_session::totals::of_guild(conn, guild, span).await?;
        let minutes = quota.metric == Metric::Minutes;
        return Ok(totals
            .iter()
            .map(|total| (total.staff_id, if minutes { total.seconds / 60 } else { total.sessions }))
            .collect());
    };
    let counts = staff_action::totals::of_guild(conn, guild, &[action], span).await?;
    Ok(counts.iter().map(|entry| (entry.staff_id, entry.count)).collect())
}
