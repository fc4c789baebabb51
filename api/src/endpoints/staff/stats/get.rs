//! GET /staff/stats/:guildId

use std::collections::BTreeMap;

use entities::staff_action::totals::ActionCount;
use entities::staff_action::{self, ActionType};
use entities::staff_session::{self, totals::Total};

use crate::endpoints::prelude::*;

#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct StaffStats {
    #[schema(minimum = 0, example = 1200)]
    total_actions: i64,
    #[schema(minimum = 0, example = 400)]
    total_sessions: i64,
    /// Full minutes of all sessions together.
    #[schema(minimum = 0, example = 24_000)]
    total_minutes: i64,
    /// Actions of each type.
    #[schema(value_type = BTreeMap<String, i64>, example = json!({ "ban": 300 }))]
    by_type: BTreeMap<&'static str, i64>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("getStaffStats", "Totals of the guild")
        .about("Of all current and former staff.")
        .data::<StaffStats>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let (conn, guild) = (call.read(), call.guild());
    let (counts, sessions) = tokio::try_join!(
        staff_action::totals::of_guild(conn, guild, ActionType::ALL, None),
        staff_session::totals::of_guild(conn, guild, None)
    )?;
    Reply::data(&add_up(&counts, &sessions))
}

/// Former staff included. Seconds are added before they become full minutes.
fn add_up(counts: &[ActionCount], sessions: &[Total]) -> StaffStats {
    let mut by_type = ActionType::ALL.iter().map(|kind| (kind.name(), 0)).collect::<BTreeMap<_, _>>();
    for entry in counts {
        *by_type.entry(entry.action_type.name()).or_default() += entry.count;
    }
    StaffStats {
        total_actions: by_type.values().sum(),
        total_sessions: sessions.iter().map(|total| total.sessions).sum(),
        total_minutes: sessions.iter().map(|total| total.seconds).sum::<i64>() / 60,
        by_type,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_listed_and_seconds_are_summed_before_conversion() {
        let staff = |id: i64| id.try_into().unwrap();
        let entry = |id, action_type, count| ActionCount { staff_id: staff(id), action_type, count };
        let counts =
            [entry(1, ActionType::Ban, 2), entry(2, ActionType::Ban, 3), entry(2, ActionType::Warn, 1)];
        let sessions = [
            Total { staff_id: staff(1), sessions: 1, seconds: 59 },
            Total { staff_id: staff(2), sessions: 4, seconds: 61 },
        ];
        let stats = add_up(&counts, &sessions);
        assert_eq!((stats.total_actions, stats.total_sessions, stats.total_minutes), (6, 5, 2));
        assert_eq!(stats.by_type.len(), 7);
        assert_eq!((stats.by_type["ban"], stats.by_type["warn"], stats.by_type["kick"]), (5, 1, 0));
    }
}
