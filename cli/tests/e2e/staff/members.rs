//! `/staff/members`, `/staff/permissions` and `/guilds/:guildId/staff/profile`.

use serde_json::{Value, json};

use super::{act, outsider, path};
use testkit::{Deployment, both_modes, go_on_duty};

both_modes!(
    members_have_every_field_and_are_on_duty_while_in_a_game,
    permissions_are_those_of_the_role,
    a_profile_counts_actions_and_sessions,
    a_user_who_is_not_staff_is_404,
);

async fn members_have_every_field_and_are_on_duty_while_in_a_game(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let list = format!("/staff/members/{}", guild.id);
    let members = api.get(&list).await.ok()["members"].clone();
    assert_eq!(members.as_array().unwrap().len(), 4);
    for (n, member) in members.as_array().unwrap().iter().enumerate() {
        let (role, name) = if n == 0 { (&guild.high_role, "Admin") } else { (&guild.roles[3], "Moderator") };
        let known = &guild.members[n];
        let expected = json!({ "chat_id": known.chat, "play_id": known.play, "role_id": role, "role_name": name,
                               "on_duty": false, "joined_at": "2026-01-05T09:00:00Z" });
        assert_eq!(*member, expected);
    }
    let session = go_on_duty(&api, &guild.members[2]).await;
    let on_duty = |members: &Value| -> Vec<bool> {
        members["members"].as_array().unwrap().iter().map(|m| m["on_duty"].as_bool().unwrap()).collect()
    };
    assert_eq!(on_duty(&api.get(&list).await.ok()), [false, false, true, false]);
    api.post("/staff/play/session/end", json!({ "session_id": session })).await.ok();
    assert_eq!(on_duty(&api.get(&list).await.ok()), [false; 4]);
}

async fn permissions_are_those_of_the_role(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let of = async |user: &str| api.get(&format!("/staff/permissions/{}/{user}", guild.id)).await;
    let moderator = &guild.members[1].chat;
    let expected = json!({ "user_id": moderator, "role_name": "Moderator", "play_permissions": ["kick", "warn"],
                           "permissions": ["moderation.read", "lookup.read"] });
    assert_eq!(of(moderator).await.ok(), expected);
    let admin = of(&guild.members[0].chat).await.ok();
    assert_eq!(admin["permissions"], json!(["moderation.read", "moderation.write", "lookup.read"]));
    for bad in ["x", "0", "-1", "9223372036854775808"] {
        of(bad).await.refused(400, &["userId"]);
    }
}

async fn a_profile_counts_actions_and_sessions(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let member = &guild.members[1];
    let profile = path(deployment, &format!("profile/{}", member.chat));
    let fresh = json!({ "chat_id": member.chat, "role_name": "Moderator", "joined_at": "2026-01-05T09:00:00Z",
                        "actions_total": 0, "sessions_total": 0, "minutes_active": 0, "open_loa": null,
                        "active_strikes": 0 });
    assert_eq!(api.get(&profile).await.ok(), fresh);

    act(&api, member, &["warn", "kick", "warn"]).await;
    act(&api, member, &["custom"]).await;
    let strike = |severity: i64| json!({ "staff_id": member.chat, "reason": "late", "severity": severity });
    let first = api.post(&path(deployment, "strikes"), strike(1)).await.ok()["id"].clone();
    api.post(&path(deployment, "strikes"), strike(2)).await.ok();
    api.patch(&path(deployment, &format!("strikes/{first}")), json!({})).await;
    let leave = |starts: &str, ends: &str| json!({ "staff_id": member.chat, "starts_at": starts, "ends_at": ends, "reason": "away" });
    api.post(&path(deployment, "loa"), leave("2020-01-01T00:00:00Z", "2020-02-01T00:00:00Z")).await.ok();
    let later = leave("2099-01-01T00:00:00Z", "2099-02-01T00:00:00Z");
    api.post(&path(deployment, "loa"), later).await.ok();
    let open = leave("2026-01-01T00:00:00Z", "2098-01-01T00:00:00Z");
    let open = api.post(&path(deployment, "loa"), open).await.ok()["id"].clone();

    let data = api.get(&profile).await.ok();
    assert_eq!(
        (&data["actions_total"], &data["sessions_total"], &data["active_strikes"]),
        (&json!(4), &json!(2), &json!(1)),
        "{data}"
    );
    assert!(data["minutes_active"].is_i64());
    let expected = json!({ "id": open, "staff_id": member.chat, "starts_at": "2026-01-01T00:00:00Z",
                           "ends_at": "2098-01-01T00:00:00Z", "reason": "away", "status": "active" });
    assert_eq!(data["open_loa"], expected);
}

async fn a_user_who_is_not_staff_is_404(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    for user in [&outsider(guild).chat, &deployment.other_guild().members[0].chat, "42"] {
        api.get(&format!("/staff/permissions/{}/{user}", guild.id)).await.refused(404, &["staff"]);
        api.get(&path(deployment, &format!("profile/{user}"))).await.refused(404, &["staff"]);
    }
    let other = &deployment.other_guild().id;
    for path in ["members", "activity", "stats", "leaderboard"] {
        api.get(&format!("/staff/{path}/{other}")).await.refused(403, &[]);
    }
    api.get(&format!("/staff/permissions/{other}/{}", guild.members[0].chat)).await.refused(403, &[]);
}
