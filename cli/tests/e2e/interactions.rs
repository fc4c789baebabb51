//! `/interactions/sync` and `/interactions/roles/...` of single members (docs/rules.md 5).

use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use testkit::{Deployment, both_modes};

both_modes!(
    a_sync_changes_exactly_what_differs,
    roles_outside_the_bindings_are_kept,
    roles_that_cannot_be_granted_are_named_and_the_others_granted,
    a_role_deleted_during_the_sync_is_named,
    every_rank_counts_and_rank_0_is_outside_the_group,
    a_renamed_player_is_renamed_everywhere,
    an_unlinked_user_or_a_non_member_is_not_found,
    the_nickname_follows_the_template,
    a_caller_that_does_not_wait_gets_the_job,
    a_caller_waits_five_seconds_or_at_most_thirty,
    single_roles_are_assigned_and_removed,
    a_platform_error_is_retried_within_the_callers_wait(own),
    a_missing_token_is_named_by_its_variable(|setup| setup.env("GUILDHALL_CHAT_TOKEN", "")),
);

const SYNC: &str = "/interactions/sync";
/// Of a call without `Prefer` (docs/rules.md 5).
const DEFAULT_WAIT: Duration = Duration::from_secs(5);

fn user(deployment: &Deployment, chat: &str) -> Value {
    json!({ "guild_id": deployment.guild().id, "user_id": chat })
}

async fn a_sync_changes_exactly_what_differs(deployment: &Deployment) {
    let (api, guild, simulator) = (deployment.api(), deployment.guild(), &deployment.simulator);
    let lacking = guild.lacking();
    let data = api.post(SYNC, user(deployment, &lacking.chat)).await.ok();
    assert_eq!(data["added_roles"], json!([lacking.wanted]), "{data}");
    assert_eq!((&data["removed_roles"], &data["nickname_updated"]), (&json!([]), &json!(false)));
    assert!(simulator.is_right(guild, lacking).await);

    let extra = guild.with_extra();
    let data = api.post(SYNC, user(deployment, &extra.chat)).await.ok();
    assert_eq!(
        (&data["added_roles"], &data["removed_roles"]),
        (&json!([]), &json!([extra.held[1]])),
        "{data}"
    );
    assert!(simulator.is_right(guild, extra).await);

    let misnamed = guild.misnamed();
    let data = api.post(SYNC, user(deployment, &misnamed.chat)).await.ok();
    assert_eq!((&data["added_roles"], &data["nickname_updated"]), (&json!([]), &json!(true)), "{data}");
    assert!(simulator.is_right(guild, misnamed).await);

    // One call for each changed member, and no call for a correct one.
    assert_eq!(deployment.member_updates().await, 3);
    for member in [guild.right(), lacking] {
        let data = api.post(SYNC, user(deployment, &member.chat)).await.ok();
        assert_eq!((&data["added_roles"], &data["removed_roles"]), (&json!([]), &json!([])));
        assert_eq!(data["nickname_updated"], false);
    }
    assert_eq!(deployment.member_updates().await, 3);
}

async fn roles_outside_the_bindings_are_kept(deployment: &Deployment) {
    let (api, guild, simulator) = (deployment.api(), deployment.guild(), &deployment.simulator);
    let member = guild.lacking();
    let held = json!({ "guild_id": guild.id, "chat_id": member.chat, "roles": [guild.high_role] });
    simulator.change_member(held).await;
    // A member above the bot cannot be renamed; the roles are still changed.
    api.post(SYNC, user(deployment, &member.chat)).await.ok();
    let roles = simulator.member(guild, &member.chat).await["roles"].clone();
    assert!(roles.as_array().unwrap().contains(&json!(guild.high_role)), "{roles}");
    assert!(roles.as_array().unwrap().contains(&json!(member.wanted)), "{roles}");
    // After leaving the group the member loses the bound role and keeps the other one.
    let gone = json!({ "group_id": guild.group, "play_id": member.play, "ranks": [] });
    simulator.change_member(gone).await;
    let data = api.post(SYNC, user(deployment, &member.chat)).await.ok();
    assert_eq!(data["removed_roles"], json!([member.wanted]), "{data}");
    assert_eq!(simulator.member(guild, &member.chat).await["roles"], json!([guild.high_role]));
}

async fn roles_that_cannot_be_granted_are_named_and_the_others_granted(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let member = guild.lacking();
    for role in [&guild.high_role, &guild.bot_role, "4242"] {
        let body =
            json!({ "type": "group_rank", "group_id": guild.group, "rank": member.rank, "role_id": role });
        api.post("/bindings/add", body).await.ok();
    }
    let data = api.post(SYNC, user(deployment, &member.chat)).await.ok();
    assert_eq!(data["added_roles"], json!([member.wanted]), "{data}");
    let failed = data["failed_roles"].as_array().unwrap();
    let named = |role: &Value| (role["role_id"].clone(), role["error"].clone());
    let roles: HashSet<_> = failed.iter().map(named).collect();
    let wanted = [
        (json!(guild.high_role), json!("role_above_bot")),
        (json!(guild.bot_role), json!("role_managed")),
        (json!("4242"), json!("unknown_role")),
    ];
    assert_eq!(roles, HashSet::from(wanted), "{data}");
    assert!(failed.iter().all(|role| !role["reason"].as_str().unwrap().is_empty()), "{data}");
    assert!(deployment.simulator.is_right(guild, member).await);
}

async fn a_role_deleted_during_the_sync_is_named(deployment: &Deployment) {
    let member = deployment.guild().lacking();
    let route = "PUT /guilds/:guild/members/:user/roles/:role";
    deployment.fault(json!({ "route": route, "status": 404, "code": 10_011, "count": 1 })).await;
    let data = deployment.api().post(SYNC, user(deployment, &member.chat)).await.ok();
    let failed = &data["failed_roles"][0];
    assert_eq!((&failed["role_id"], &failed["error"]), (&json!(member.wanted), &json!("unknown_role")));
    assert_eq!(data["added_roles"], json!([]), "{data}");
}

async fn every_rank_counts_and_rank_0_is_outside_the_group(deployment: &Deployment) {
    let (api, guild, simulator) = (deployment.api(), deployment.guild(), &deployment.simulator);
    let member = guild.right();
    let outside =
        json!({ "type": "group_rank", "group_id": guild.group, "rank": 0, "role_id": guild.roles[2] });
    api.post("/bindings/add", outside).await.ok();
    for (ranks, wanted) in [
        (vec![50, 200], vec![&guild.roles[1], &guild.roles[3]]),
        (vec![], vec![&guild.roles[2]]),
        (vec![1], vec![&guild.roles[0]]),
    ] {
        let ranked = json!({ "group_id": guild.group, "play_id": member.play, "ranks": ranks });
        simulator.change_member(ranked).await;
        api.post(SYNC, user(deployment, &member.chat)).await.ok();
        let held = simulator.member(guild, &member.chat).await["roles"].clone();
        let held: HashSet<String> = serde_json::from_value(held).unwrap();
        assert_eq!(held, wanted.into_iter().cloned().collect(), "{ranks:?}");
    }
}

async fn a_renamed_player_is_renamed_everywhere(deployment: &Deployment) {
    let (api, guild, simulator) = (deployment.api(), deployment.guild(), &deployment.simulator);
    let member = guild.right();
    simulator.change_member(json!({ "play_id": member.play, "username": "another_name" })).await;
    let data = api.post(SYNC, user(deployment, &member.chat)).await.ok();
    assert_eq!(data["nickname_updated"], true, "{data}");
    assert_eq!(simulator.member(guild, &member.chat).await["nick"], "another_name");
    let link = api.get(&format!("/lookup/chat/{}", member.chat)).await.ok();
    assert_eq!(link["play_username"], "another_name", "{link}");
}

async fn an_unlinked_user_or_a_non_member_is_not_found(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let unlinked = api.post(SYNC, user(deployment, "1999999999999999999")).await.refused(404, &[]);
    assert_ne!(unlinked.error(), "not_a_member");
    let left = &guild.members[4];
    let gone = json!({ "guild_id": guild.id, "chat_id": left.chat, "remove": true });
    deployment.simulator.change_member(gone).await;
    let answer = api.post(SYNC, user(deployment, &left.chat)).await.refused(404, &[]);
    assert_eq!(answer.error(), "not_a_member");
    assert_eq!(deployment.member_updates().await, 0);
}

async fn the_nickname_follows_the_template(deployment: &Deployment) {
    let (api, guild, simulator) = (deployment.api(), deployment.guild(), &deployment.simulator);
    let member = guild.misnamed();
    let settings = format!("/guilds/{}/settings", guild.id);
    // A nickname is cut to 32 characters, not bytes.
    let template = format!("{}{{play_username}}", "é".repeat(30));
    api.patch(&settings, json!({ "nickname_template": template })).await.ok();
    assert_eq!(api.post(SYNC, user(deployment, &member.chat)).await.ok()["nickname_updated"], true);
    let nick = format!("{}{}", "é".repeat(30), &member.name[..2]);
    assert_eq!(simulator.member(guild, &member.chat).await["nick"], nick.as_str());
    // An empty template leaves nicknames alone.
    api.patch(&settings, json!({ "nickname_template": "" })).await.ok();
    let other = json!({ "guild_id": guild.id, "chat_id": member.chat, "nick": "mine" });
    simulator.change_member(other).await;
    assert_eq!(api.post(SYNC, user(deployment, &member.chat)).await.ok()["nickname_updated"], false);
    assert_eq!(simulator.member(guild, &member.chat).await["nick"], "mine");
}

async fn a_caller_that_does_not_wait_gets_the_job(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let member = guild.lacking();
    let answer = api.header("prefer", "respond-async").post(SYNC, user(deployment, &member.chat)).await;
    assert_eq!(answer.status, 202, "{answer}");
    assert!(!answer.message().is_empty());
    let job = answer.body["data"]["job_id"].as_str().unwrap();
    assert_eq!(answer.header("location"), Some(format!("/jobs/{job}").as_str()));
    let ended = deployment.job_ended(job).await;
    assert_eq!(
        (&ended["state"], &ended["result"]["added_roles"]),
        (&json!("succeeded"), &json!([member.wanted]))
    );
    assert!(deployment.simulator.is_right(guild, member).await);

    // The job continues after the caller's wait has ended.
    let extra = guild.with_extra();
    deployment.fault(json!({ "route": "*", "hang_ms": 2500, "count": 1 })).await;
    let answer = api.header("prefer", "wait=1").post(SYNC, user(deployment, &extra.chat)).await;
    assert_eq!(answer.status, 202, "{answer}");
    let ended = deployment.job_ended(answer.body["data"]["job_id"].as_str().unwrap()).await;
    assert_eq!(ended["state"], "succeeded", "{ended}");
    assert!(deployment.simulator.is_right(guild, extra).await);
}

async fn a_caller_waits_five_seconds_or_at_most_thirty(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let right = guild.right();
    let answer = api.header("prefer", "wait=31").post(SYNC, user(deployment, &right.chat)).await;
    assert_eq!((answer.status, answer.header("preference-applied")), (200, Some("wait=30")), "{answer}");

    deployment.fault(json!({ "route": "*", "hang_ms": 7000, "count": 1 })).await;
    let begun = Instant::now();
    let answer = api.post(SYNC, user(deployment, &guild.lacking().chat)).await;
    let waited = begun.elapsed();
    assert_eq!((answer.status, answer.header("preference-applied")), (202, None), "{answer}");
    assert!((DEFAULT_WAIT..DEFAULT_WAIT + Duration::from_secs(2)).contains(&waited), "{waited:?}");
    let ended = deployment.job_ended(answer.body["data"]["job_id"].as_str().unwrap()).await;
    assert_eq!(ended["state"], "succeeded", "{ended}");
}

async fn single_roles_are_assigned_and_removed(deployment: &Deployment) {
    let (api, guild, simulator) = (deployment.api(), deployment.guild(), &deployment.simulator);
    let member = guild.right();
    let role = guild.roles.iter().find(|role| **role != member.wanted).unwrap();
    let change = |role: &str| json!({ "guild_id": guild.id, "user_id": member.chat, "role_id": role });
    let (assign, remove) = ("/interactions/roles/assign", "/interactions/roles/remove");
    let answer = api.post(assign, change(role)).await;
    assert!(!answer.message().is_empty());
    answer.ok();
    let held = simulator.member(guild, &member.chat).await["roles"].to_string();
    assert!(held.contains(role) && held.contains(&member.wanted), "{held}");
    // A role already held is a success.
    api.post(assign, change(role)).await.ok();
    api.post(remove, change(role)).await.ok();
    assert_eq!(simulator.member(guild, &member.chat).await["roles"], json!([member.wanted]));
    api.post(remove, change(role)).await.ok();

    api.post(assign, change(&guild.high_role)).await.refused(422, &[]);
    api.post(assign, change("4242")).await.refused(404, &[]);
    let stranger = json!({ "guild_id": guild.id, "user_id": "1999999999999999999", "role_id": role });
    assert_eq!(api.post(assign, stranger).await.refused(404, &[]).error(), "not_a_member");
    assert_eq!(simulator.member(guild, &member.chat).await["roles"], json!([member.wanted]));
}

async fn a_platform_error_is_retried_within_the_callers_wait(deployment: &Deployment) {
    let (api, guild, simulator) = (deployment.api(), deployment.guild(), &deployment.simulator);
    let member = guild.lacking();
    let route = "PUT /guilds/:guild/members/:user/roles/:role";
    deployment.fault(json!({ "route": route, "status": 500, "count": 1 })).await;
    // The first backoff, about a second, is shorter than the caller's wait.
    let data = api.post(SYNC, user(deployment, &member.chat)).await.ok();
    assert_eq!(data["added_roles"], json!([member.wanted]));
    assert!(simulator.is_right(guild, member).await);
    assert_eq!(simulator.stats().await["requests"][route]["500"], 1);

    // A 429 is waited out.
    let extra = guild.with_extra();
    let route = "DELETE /guilds/:guild/members/:user/roles/:role";
    deployment.fault(json!({ "route": route, "status": 429, "count": 1, "retry_after": 0.5 })).await;
    api.post(SYNC, user(deployment, &extra.chat)).await.ok();
    assert!(simulator.is_right(guild, extra).await);
}

async fn a_missing_token_is_named_by_its_variable(deployment: &Deployment) {
    let api = deployment.api();
    let started = Instant::now();
    let answer = api.post(SYNC, user(deployment, &deployment.guild().lacking().chat)).await;
    answer.refused(503, &["GUILDHALL_CHAT_TOKEN"]);
    assert!(started.elapsed() < Duration::from_secs(4), "it was retried: {:?}", started.elapsed());
    api.get(&format!("/guilds/{}/roles", deployment.guild().id))
        .await
        .refused(503, &["GUILDHALL_CHAT_TOKEN"]);
    // Paths without a platform call still answer.
    api.get("/bindings/list").await.ok();
}
