use crate::staff_role::Permissions;
use serde_json::json;

use super::*;

fn staff(id: i64) -> ChatId {
    id.try_into().unwrap()
}

fn member(id: i64) -> Described {
    Described {
        chat_id: staff(id),
        play_id: None,
        play_username: None,
        role_id: 1.try_into().unwrap(),
        role_name: format!("role of {id}"),
        permissions: Permissions::default(),
        play_permissions: Permissions::default(),
        by_role: false,
        joined_at: Timestamp::UNIX_EPOCH,
        on_duty: false,
    }
}

fn entry(id: i64, action_type: ActionType, count: i64) -> ActionCount {
    ActionCount { staff_id: staff(id), action_type, count }
}

fn total(id: i64, seconds: i64) -> Total {
    Total { staff_id: staff(id), sessions: 1, seconds }
}

fn scores(rows: &[LeaderboardRow]) -> Vec<(i64, i64, i64)> {
    rows.iter().map(|row| (row.chat_id.get(), row.score, row.actions)).collect()
}

#[test]
fn every_action_has_its_weight_and_every_full_ten_minutes_a_point() {
    let counts: Vec<_> = ActionType::ALL.iter().map(|kind| entry(1, *kind, 1)).collect();
    let rows = rank(vec![member(1)], &counts, &[total(1, 1_199)], &json!({}));
    // 5 + 1 + 3 + 1 + 2 + 3 + 1, and one point for 19 minutes 59 seconds.
    assert_eq!(scores(&rows), [(1, 17, 7)]);
    assert_eq!(rows[0].role_name, "role of 1");
    let rows = rank(vec![member(1)], &[], &[total(1, 1_200)], &json!({}));
    assert_eq!(scores(&rows), [(1, 2, 0)]);
}

#[test]
fn a_guild_sets_weights_one_by_one() {
    let counts = [entry(1, ActionType::Ban, 2), entry(1, ActionType::Warn, 3)];
    let rows = rank(vec![member(1)], &counts, &[], &json!({"ban": 0, "kick": 9}));
    assert_eq!(scores(&rows), [(1, 6, 5)]);
}

#[test]
fn staff_only_highest_first_ties_by_chat_id() {
    let counts = [entry(9, ActionType::Ban, 1), entry(10, ActionType::Ban, 1), entry(7, ActionType::Ban, 8)];
    let rows = rank(vec![member(2), member(10), member(9)], &counts, &[], &json!({}));
    assert_eq!(scores(&rows), [(9, 5, 1), (10, 5, 1), (2, 0, 0)]);
}
