//! `/guilds/:guildId/...`: roles, members, settings (docs/rules.md 8).

use serde_json::{Value, json};

use testkit::{Deployment, both_modes, in_turn};

both_modes!(
    roles_come_from_the_chat_platform,
    verified_members_are_all_listed(|setup| setup.members(130)),
    settings_are_updated_with_before_and_after_in_the_audit_log,
);

in_turn!(invalid_settings_are_refused,);

async fn roles_come_from_the_chat_platform(deployment: &Deployment) {
    let guild = deployment.guild();
    let data = deployment.api().get(&format!("/guilds/{}/roles", guild.id)).await.ok();
    let roles = data["roles"].as_array().unwrap();
    assert_eq!(roles.len(), 8, "{data}");
    let first = json!({ "id": guild.roles[0], "name": "Member", "color": 0x33_66_CC, "position": 1 });
    assert!(roles.contains(&first), "{data}");
}

async fn verified_members_are_all_listed(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let mut expected: Vec<Value> = guild
        .members
        .iter()
        .map(|member| json!({ "chat_id": member.chat, "play_id": member.play, "play_username": member.name }))
        .collect();
    let sorted = |members: &Value| {
        let mut members = members.as_array().unwrap().clone();
        members.sort_by_key(|member| member["chat_id"].to_string());
        members
    };
    expected.sort_by_key(|member| member["chat_id"].to_string());
    let data = api.get(&format!("/guilds/{}/members", guild.id)).await.ok();
    assert_eq!(data["total"], 130);
    assert_eq!(sorted(&data["members"]), expected);
    let data = api.get(&format!("/guilds/{}/verified-users", guild.id)).await.ok();
    assert_eq!(sorted(&data), expected);
}

async fn settings_are_updated_with_before_and_after_in_the_audit_log(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let path = format!("/guilds/{}/settings", guild.id);
    let before = api.get(&path).await.ok();
    assert_eq!(
        (&before["nickname_template"], &before["time_zone"]),
        (&json!("{play_username}"), &json!("UTC"))
    );
    assert_eq!(
        (&before["mirror_bans"], &before["strike_days"], &before["week_start"]),
        (&json!(true), &json!(90), &json!(1))
    );
    let change = json!({ "nickname_template": "[{play_username}]", "strike_days": 30, "unknown": 1 });
    api.patch(&path, change).await.ok();
    let after = api.get(&path).await.ok();
    let mut expected = before.clone();
    expected["nickname_template"] = json!("[{play_username}]");
    expected["strike_days"] = json!(30);
    assert_eq!(after, expected);
    let entry = &deployment.audit("settings.update").await[0];
    assert_eq!(entry["metadata"]["before"]["strike_days"], 90, "{entry}");
    assert_eq!(entry["metadata"]["after"]["strike_days"], 30, "{entry}");
    assert!(entry["metadata"]["after"]["week_start"].is_null(), "an unchanged setting is listed: {entry}");
    assert_eq!(entry["actor_id"], guild.members[0].chat.as_str());
    // The other guild's settings are unchanged.
    let other = deployment.other_guild();
    let theirs = api.key(&other.admin_key).get(&format!("/guilds/{}/settings", other.id)).await.ok();
    assert_eq!(theirs["strike_days"], 90);
}

async fn invalid_settings_are_refused(deployment: &Deployment) {
    let api = deployment.api();
    let path = format!("/guilds/{}/settings", deployment.guild().id);
    let before = api.get(&path).await.ok();
    for (field, value) in [
        ("mirror_bans", json!("yes")),
        ("mirror_bans", Value::Null),
        ("week_start", json!(0)),
        ("week_start", json!(8)),
        ("strike_days", json!(0)),
        ("strike_days", json!(3651)),
        ("strike_days", json!(1.5)),
        ("time_zone", json!("Middle/Earth")),
        ("nickname_template", json!("x".repeat(1001))),
        ("nickname_template", json!(7)),
        ("score_weights", json!({ "ban": -1 })),
        ("score_weights", json!({ "dance": 1 })),
        ("allowed_privileged_roles", Value::Null),
        ("allowed_privileged_roles", json!([7])),
        ("allowed_privileged_roles", json!(vec!["7"; 101])),
    ] {
        let answer = api.patch(&path, json!({ field: value, "strike_days_": 1 })).await;
        assert!(matches!(answer.status, 400 | 422), "{field} {value}: {answer}");
        assert!(answer.message().contains(field), "{field} {value}: {answer}");
    }
    assert_eq!(api.get(&path).await.ok(), before);
}
