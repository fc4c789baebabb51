//! The setting `staff_by_role`: whoever holds a staff role on the chat platform is staff (docs/rules.md 6). The fixture's
//! Moderator is the role of rank 200, which a binding gives.

use reqwest::Method;
use serde_json::{Value, json};

use super::path;
use crate::gateway::{at_rest, connected};
use testkit::{Deployment, Guild, Member, both_modes, eventually, in_turn};

both_modes!(
    giving_and_taking_a_role_makes_staff_and_ends_it(crate::gateway::reading),
    who_holds_a_staff_role_already_is_found(crate::gateway::reading),
    a_sync_of_all_members_finds_them_without_events,
);
in_turn!(
    the_role_that_permits_most_counts(crate::gateway::reading),
    a_sync_gives_a_staff_role_only_if_the_guild_allows_it,
    only_an_admin_key_lets_roles_make_staff
);

async fn set(deployment: &Deployment, settings: Value) {
    let path = format!("/guilds/{}/settings", deployment.guild().id);
    deployment.api().patch(&path, settings).await.ok();
}

/// Members who hold none of the staff roles, and are not staff.
fn outsiders(guild: &Guild) -> Vec<&Member> {
    let is_outside =
        |member: &&Member| member.wanted != guild.roles[3] && !member.held.contains(&guild.roles[3]);
    guild.members.iter().skip(4).filter(is_outside).collect()
}

fn outsider(guild: &Guild) -> &Member {
    outsiders(guild)[0]
}

async fn role_of(deployment: &Deployment, chat: &str) -> Value {
    let members = deployment.api().get(&format!("/staff/members/{}", deployment.guild().id)).await.ok();
    let found = members["members"].as_array().unwrap().iter().find(|member| member["chat_id"] == chat);
    found.map_or(Value::Null, |member| member["role_name"].clone())
}

async fn becomes(deployment: &Deployment, chat: &str, role: Value) {
    eventually(
        "the member's place in the staff follows the role",
        crate::gateway::RIGHT_WITHIN,
        async || (role_of(deployment, chat).await == role).then_some(()),
    )
    .await;
}

async fn hold(deployment: &Deployment, chat: &str, roles: &[&str]) {
    let change = json!({ "guild_id": deployment.guild().id, "chat_id": chat, "roles": roles });
    deployment.simulator.change_member(change).await;
}

async fn giving_and_taking_a_role_makes_staff_and_ends_it(deployment: &Deployment) {
    connected(deployment).await;
    let (api, guild) = (deployment.api(), deployment.guild());
    let (member, moderator) = (outsider(guild), &guild.roles[3]);
    // No sync takes it.
    set(deployment, json!({ "staff_by_role": true, "sticky_roles": [moderator] })).await;
    let change = json!({ "user_id": member.chat, "role_id": moderator });
    let (assign, remove) = ("/interactions/roles/assign", "/interactions/roles/remove");
    let refused = api.post(assign, change.clone()).await.refused(422, &["staff", "allowed_privileged_roles"]);
    assert_eq!(refused.error(), "role_not_grantable");
    set(deployment, json!({ "allowed_privileged_roles": [moderator] })).await;
    api.post(assign, change.clone()).await.ok();
    becomes(deployment, &member.chat, json!("Moderator")).await;
    let entry = deployment.audit("staff_members.put").await;
    let entry = entry.iter().find(|entry| entry["target_id"] == member.chat).unwrap();
    let told = &entry["metadata"]["after"];
    assert_eq!((&entry["actor_id"], &told["by_role"]), (&json!("0"), &json!(true)));
    assert!(told["joined_at"].as_str().is_some_and(|at| at.ends_with('Z')), "as entries of the API: {told}");
    // Only the role decides.
    let own = path(deployment, &format!("members/{}", member.chat));
    let other = json!({ "role_id": guild.high_role });
    let refused =
        api.send(Method::PUT, &own, Some(other.clone())).await.refused(409, &["role", "staff_by_role"]);
    assert_eq!(refused.error(), "by_role");
    assert_eq!(api.delete(&own).await.refused(409, &["role"]).error(), "by_role");
    for command in [&["set", &member.chat, "--role", &guild.high_role][..], &["remove", &member.chat]] {
        let command = [&["staff", "members"], command, &["--guild", &guild.id]].concat();
        let refused = deployment.command(&command).await;
        assert!(
            refused.code == Some(1) && refused.stderr.contains("give or take the role there"),
            "{refused:?}"
        );
    }
    let session = testkit::go_on_duty(&api, member).await;
    api.post(remove, change).await.ok();
    becomes(deployment, &member.chat, Value::Null).await;
    let beat = api.post("/staff/play/heartbeat", json!({ "session_id": session })).await.ok();
    assert_eq!(beat["alive"], false, "the session ended with it");
    let entries = deployment.audit("staff_members.delete").await;
    assert_eq!((&entries[0]["target_id"], &entries[0]["actor_id"]), (&json!(member.chat), &json!("0")));

    // Who leaves the guild no longer holds it.
    hold(deployment, &member.chat, &[moderator]).await;
    becomes(deployment, &member.chat, json!("Moderator")).await;
    deployment.simulator.leave(guild, &member.chat).await;
    becomes(deployment, &member.chat, Value::Null).await;
}

async fn who_holds_a_staff_role_already_is_found(deployment: &Deployment) {
    connected(deployment).await;
    let (api, guild) = (deployment.api(), deployment.guild());
    let member = outsider(guild);
    let own = path(deployment, &format!("members/{}", member.chat));
    // No sync takes it.
    set(deployment, json!({ "sticky_roles": [guild.roles[3]] })).await;
    hold(deployment, &member.chat, &[&guild.roles[3]]).await;
    set(deployment, json!({ "staff_by_role": true })).await;
    becomes(deployment, &member.chat, json!("Moderator")).await;
    // The owner of the fixture was added by hand, and holds no staff role: he stays.
    assert_eq!(role_of(deployment, &guild.members[0].chat).await, "Admin");
    // A new staff role has holders too.
    let other = &guild.members.iter().skip(5).find(|other| other.chat != member.chat).unwrap().chat;
    hold(deployment, other, &[&guild.privileged_role]).await;
    let role = path(deployment, &format!("roles/{}", guild.privileged_role));
    let steward = json!({ "role_name": "Steward" });
    api.send(Method::PUT, &role, Some(steward)).await.ok();
    becomes(deployment, other, json!("Steward")).await;
    // Also one that an operator adds.
    let taken = [&member.chat, other];
    let third = &guild.members.iter().skip(5).find(|third| !taken.contains(&&third.chat)).unwrap().chat;
    hold(deployment, third, &[&guild.roles[2]]).await;
    let args = ["staff", "roles", "set", "--guild", &guild.id, &guild.roles[2], "--name", "Warden"];
    deployment.command(&args).await.succeeded();
    becomes(deployment, third, json!("Warden")).await;
    // Once it is off, people decide again.
    set(deployment, json!({ "staff_by_role": false })).await;
    let put = json!({ "role_id": guild.high_role });
    let data = api.send(Method::PUT, &own, Some(put)).await.ok();
    assert_eq!((&data["role_id"], &data["by_role"]), (&json!(guild.high_role), &json!(false)));
    api.delete(&own).await.ok();
}

async fn a_sync_of_all_members_finds_them_without_events(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let [before, after] = outsiders(guild)[..2] else { panic!("two members are not staff") };
    hold(deployment, &before.chat, &[&guild.roles[3]]).await;
    set(deployment, json!({ "staff_by_role": true, "allowed_privileged_roles": [guild.roles[3]] })).await;
    becomes(deployment, &before.chat, json!("Moderator")).await;
    hold(deployment, &before.chat, &[]).await;
    hold(deployment, &after.chat, &[&guild.roles[3]]).await;
    let promoted = json!({ "group_id": guild.group, "play_id": after.play, "ranks": [200] });
    deployment.simulator.change_member(promoted).await;
    let sync = async |dry_run: bool| {
        let started = api.post("/interactions/sync/all", json!({ "dry_run": dry_run })).await.ok();
        deployment.job_ended(started["job_id"].as_str().unwrap()).await;
        at_rest(deployment, "kind=staff_by_role").await;
        [role_of(deployment, &before.chat).await, role_of(deployment, &after.chat).await]
    };
    assert_eq!(sync(true).await, [json!("Moderator"), Value::Null], "a preview changes nobody");
    assert_eq!(sync(false).await, [Value::Null, json!("Moderator")]);
}

async fn the_role_that_permits_most_counts(deployment: &Deployment) {
    connected(deployment).await;
    let (api, guild) = (deployment.api(), deployment.guild());
    let (chat, [low, ..]) = (&outsider(guild).chat, &guild.roles);
    let role = path(deployment, &format!("roles/{low}"));
    api.send(Method::PUT, &role, Some(json!({ "role_name": "Trainee" }))).await.ok();
    set(deployment, json!({ "staff_by_role": true, "sticky_roles": guild.roles })).await;
    hold(deployment, chat, &[low]).await;
    becomes(deployment, chat, json!("Trainee")).await;
    hold(deployment, chat, &[low, &guild.roles[3]]).await;
    becomes(deployment, chat, json!("Moderator")).await;
    let most = json!({ "permissions": ["lookup.read", "staff.read", "audit.read", "bindings.read"],
                       "play_permissions": ["kick", "ban", "warn"] });
    api.send(Method::PUT, &role, Some(most)).await.ok();
    becomes(deployment, chat, json!("Trainee")).await;
}

async fn a_sync_gives_a_staff_role_only_if_the_guild_allows_it(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let (member, moderator) = (outsider(guild), &guild.roles[3]);
    let promoted = json!({ "group_id": guild.group, "play_id": member.play, "ranks": [200] });
    deployment.simulator.change_member(promoted).await;
    let sync = async || api.post("/interactions/sync", json!({ "user_id": member.chat })).await.ok();
    set(deployment, json!({ "staff_by_role": true })).await;
    let data = sync().await;
    let failed = &data["failed_roles"][0];
    assert_eq!(
        (&failed["role_id"], &failed["error"]),
        (&json!(moderator), &json!("role_privileged")),
        "{data}"
    );
    set(deployment, json!({ "allowed_privileged_roles": [moderator] })).await;
    assert_eq!(sync().await["added_roles"], json!([moderator]));
}

async fn only_an_admin_key_lets_roles_make_staff(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let path = format!("/guilds/{}/settings", guild.id);
    let on = json!({ "staff_by_role": true });
    api.key(&guild.game_key).patch(&path, on.clone()).await.refused(403, &["admin"]);
    api.patch(&path, json!({ "staff_by_role": "yes" })).await.refused(400, &["staff_by_role"]);
    assert_eq!(api.get(&path).await.ok()["staff_by_role"], json!(false));
    assert_eq!(api.patch(&path, on).await.ok()["staff_by_role"], json!(true));
}
