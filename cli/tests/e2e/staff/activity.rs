//! `/staff/activity`, `/staff/stats`, `/staff/leaderboard` and `/staff/action-types`.

use serde_json::{Value, json};

use super::act;
use testkit::{Deployment, both_modes};

both_modes!(
    actions_are_listed_newest_first_page_by_page,
    stats_count_actions_sessions_and_minutes,
    the_leaderboard_weights_actions,
    action_types_are_a_bare_list,
);

async fn actions_are_listed_newest_first_page_by_page(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let list = format!("/staff/activity/{}", guild.id);
    assert_eq!(api.get(&list).await.ok(), json!({ "actions": [], "next_cursor": null }));
    let mut ids = act(&api, &guild.members[0], &["ban", "unban", "kick"]).await;
    ids.extend(act(&api, &guild.members[1], &["mute", "warn"]).await);
    ids.reverse();
    let shown = |page: &Value| -> Vec<i64> {
        page["actions"].as_array().unwrap().iter().map(|action| action["id"].as_i64().unwrap()).collect()
    };
    let all = api.get(&list).await.ok();
    assert_eq!((shown(&all), &all["next_cursor"]), (ids.clone(), &Value::Null));
    let newest = &all["actions"][0];
    assert_eq!(
        (&newest["staff_id"], &newest["action_type"]),
        (&json!(guild.members[1].chat), &json!("warn"))
    );
    assert_eq!(newest["target_id"], "20000001");
    assert!(newest["created_at"].is_string() && newest["counts"] == true, "{newest}");

    let first = api.get(&format!("{list}?limit=2")).await.ok();
    assert_eq!((shown(&first), &first["next_cursor"]), (ids[..2].to_vec(), &json!(ids[1])));
    // An action added between two pages does not shift the second page.
    act(&api, &guild.members[2], &["custom"]).await;
    let second = api.get(&format!("{list}?limit=2&cursor={}", ids[1])).await.ok();
    assert_eq!(shown(&second), ids[2..4]);
    let third = api.get(&format!("{list}?limit=5000&cursor={}", ids[3])).await.ok();
    assert_eq!((shown(&third), &third["next_cursor"]), (ids[4..].to_vec(), &Value::Null));
    for (query, field) in
        [("limit=0", "limit"), ("limit=x", "limit"), ("cursor=x", "cursor"), ("cursor=-1", "cursor")]
    {
        api.get(&format!("{list}?{query}")).await.refused(400, &[field]);
    }
}

async fn stats_count_actions_sessions_and_minutes(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let stats = format!("/staff/stats/{}", guild.id);
    let nothing = json!({ "ban": 0, "unban": 0, "mute": 0, "unmute": 0, "warn": 0, "kick": 0, "custom": 0 });
    let expected = json!({ "total_actions": 0, "total_sessions": 0, "total_minutes": 0, "by_type": nothing });
    assert_eq!(api.get(&stats).await.ok(), expected);
    act(&api, &guild.members[0], &["ban", "ban", "warn"]).await;
    act(&api, &guild.members[1], &["ban"]).await;
    // A ban through the moderation paths is an action of its moderator.
    let ban = json!({ "identifier": "20000002", "reason": "x", "moderator_id": guild.members[2].chat });
    api.post(&format!("/moderation/{}/play/ban", guild.id), ban).await.ok();
    let data = api.get(&stats).await.ok();
    assert_eq!((&data["total_actions"], &data["total_sessions"]), (&json!(5), &json!(2)), "{data}");
    assert_eq!((&data["by_type"]["ban"], &data["by_type"]["warn"]), (&json!(4), &json!(1)));
    assert!(data["total_minutes"].is_i64());
    // The other guild's stats are unchanged.
    let other = deployment.other_guild();
    let theirs = api.key(&other.admin_key).get(&format!("/staff/stats/{}", other.id)).await.ok();
    assert_eq!(theirs, expected);
}

async fn the_leaderboard_weights_actions(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let board = format!("/staff/leaderboard/{}", guild.id);
    act(&api, &guild.members[3], &["ban"]).await;
    act(&api, &guild.members[1], &["mute", "unmute", "custom"]).await;
    act(&api, &guild.members[2], &["kick", "warn", "unban"]).await;
    let scores = |data: &Value| -> Vec<(String, i64, i64)> {
        let rows = data["leaderboard"].as_array().unwrap().iter();
        rows.map(|row| {
            let number = |field: &str| row[field].as_i64().unwrap();
            (row["chat_id"].as_str().unwrap().to_owned(), number("score"), number("actions"))
        })
        .collect()
    };
    let who = |n: usize, score, actions| (guild.members[n].chat.clone(), score, actions);
    let data = api.get(&board).await.ok();
    assert_eq!(data["period"], "week");
    // Equal scores are ordered by chat id.
    assert_eq!(scores(&data), [who(2, 6, 3), who(1, 5, 3), who(3, 5, 1), who(0, 0, 0)]);
    assert_eq!(data["leaderboard"][0]["role_name"], "Moderator");
    for period in ["week", "month", "all"] {
        let same = api.get(&format!("{board}?period={period}")).await.ok();
        assert_eq!((&same["period"], &same["leaderboard"]), (&json!(period), &data["leaderboard"]));
    }
    for bad in ["day", "Week", "7"] {
        api.get(&format!("{board}?period={bad}")).await.refused(400, &["period", "`week`, `month` or `all`"]);
    }
    let weights = json!({ "score_weights": { "ban": 100, "kick": 0 } });
    api.patch(&format!("/guilds/{}/settings", guild.id), weights).await.ok();
    let data = api.get(&board).await.ok();
    assert_eq!(scores(&data), [who(3, 100, 1), who(1, 5, 3), who(2, 3, 3), who(0, 0, 0)]);
}

async fn action_types_are_a_bare_list(deployment: &Deployment) {
    let types = deployment.api().get("/staff/action-types").await.ok();
    assert_eq!(types, json!(["ban", "unban", "mute", "unmute", "warn", "kick", "custom"]));
}
