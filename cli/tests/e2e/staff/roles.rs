//! `PUT` and `DELETE /guilds/:guildId/staff/roles/:roleId` and `…/members/:chatId`, and the commands for both.

use reqwest::Method;
use serde_json::{Value, json};

use super::{path, refuse_each, same_404, theirs};
use testkit::{Deployment, both_modes, go_on_duty};

both_modes!(
    roles_are_put_and_deleted,
    members_are_put_and_removed,
    changing_roles_and_members_needs_the_admin_scope,
    roles_and_members_are_changed_by_command,
);

async fn put(deployment: &Deployment, rest: &str, body: Value) -> testkit::Answer {
    deployment.api().send(Method::PUT, &path(deployment, rest), Some(body)).await
}

async fn roles_are_put_and_deleted(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let role = json!({ "role_name": "Trainee", "permissions": ["lookup.read"] });
    let data = put(deployment, "roles/55", role.clone()).await.ok();
    let expected = json!({ "role_id": "55", "role_name": "Trainee", "permissions": ["lookup.read"],
                           "play_permissions": [] });
    assert_eq!(data, expected);
    assert!(put(deployment, "roles/55", role).await.message().starts_with("nothing to change"));
    // What is absent stays.
    let kept = put(deployment, "roles/55", json!({ "play_permissions": ["map.vote", "warn"] })).await.ok();
    assert_eq!(
        (&kept["role_name"], &kept["permissions"], &kept["play_permissions"]),
        (&json!("Trainee"), &json!(["lookup.read"]), &json!(["map.vote", "warn"]))
    );
    let roles = api.get(&path(deployment, "roles")).await.ok()["roles"].clone();
    let names: Vec<_> = roles.as_array().unwrap().iter().map(|role| role["role_name"].clone()).collect();
    assert_eq!(names, ["Admin", "Moderator", "Trainee"]);
    assert_eq!(roles[2], kept);
    let page = api.get(&path(deployment, "roles?limit=1")).await.ok();
    assert_eq!(page["roles"].as_array().unwrap().len(), 1);
    let renamed = json!({ "role_name": "Helper", "permissions": [], "play_permissions": ["warn"] });
    let data = put(deployment, "roles/55", renamed.clone()).await.ok();
    assert_eq!((&data["permissions"], &data["play_permissions"]), (&json!([]), &json!(["warn"])));

    let user = &guild.members[5].chat;
    put(deployment, &format!("members/{user}"), json!({ "role_id": "55" })).await.ok();
    let permitted = api.get(&format!("/staff/permissions/{}/{user}", guild.id)).await.ok();
    assert_eq!((&permitted["role_name"], &permitted["permissions"]), (&json!("Helper"), &json!([])));
    api.delete(&path(deployment, "roles/55")).await.refused(409, &["1 staff members"]);
    api.delete(&path(deployment, &format!("members/{user}"))).await.ok();
    api.delete(&path(deployment, "roles/55")).await.ok();
    let (their_api, their_role) = theirs(deployment, "roles/77");
    their_api.send(Method::PUT, &their_role, Some(renamed)).await.ok();
    same_404(
        api.delete(&path(deployment, "roles/55")).await,
        api.delete(&path(deployment, "roles/77")).await,
    );

    let entries = deployment.audit("staff_roles.put").await;
    assert_eq!(entries.len(), 3, "{entries:?}");
    assert_eq!(entries[0]["target_id"], "55");
    assert_eq!(entries[0]["metadata"]["before"]["role_name"], "Trainee");
    assert_eq!(entries[0]["metadata"]["after"]["role_name"], "Helper");
    assert_eq!(deployment.audit("staff_roles.delete").await.len(), 1);

    let good = json!({ "role_name": "x", "permissions": [], "play_permissions": [] });
    let bad = [
        ("role_name", json!("absent")),
        ("role_name", json!("")),
        ("role_name", json!("x".repeat(101))),
        ("permissions", json!("kick")),
        ("permissions", json!(["kick", "kick"])),
        ("permissions", json!([7])),
        ("permissions", json!(["kick"])),
        ("play_permissions", json!(["Kick"])),
        ("play_permissions", json!(["a".repeat(51)])),
        ("play_permissions", json!((0..51).map(|n| format!("p{n}")).collect::<Vec<_>>())),
        ("play_permissions", json!([""])),
        ("play_permissions", json!({})),
    ];
    refuse_each(&api, ("PUT", &path(deployment, "roles/56")), &good, &bad).await;
    put(deployment, "roles/abc", good).await.refused(400, &["roleId"]);
}

async fn members_are_put_and_removed(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let (admin, moderator) = (json!({ "role_id": guild.high_role }), json!({ "role_id": guild.roles[3] }));
    let list = async || api.get(&format!("/staff/members/{}", guild.id)).await.ok()["members"].clone();
    // A staff member without a link.
    put(deployment, "members/424242", moderator.clone()).await.ok();
    let members = list().await;
    let unlinked = members.as_array().unwrap().iter().find(|member| member["chat_id"] == "424242").unwrap();
    assert_eq!((&unlinked["play_id"], &unlinked["role_name"]), (&Value::Null, &json!("Moderator")));
    let joined = unlinked["joined_at"].clone();

    // A new role keeps `joined_at`, unless the request has it.
    let data = put(deployment, "members/424242", admin.clone()).await.ok();
    let expected =
        json!({ "chat_id": "424242", "role_id": guild.high_role, "joined_at": joined, "by_role": false });
    assert_eq!(data, expected);
    assert!(
        put(deployment, "members/424242", admin.clone()).await.message().starts_with("nothing to change")
    );
    let since = json!({ "role_id": guild.high_role, "joined_at": "2025-03-04T05:06:07.5+02:00" });
    let data = put(deployment, "members/424242", since).await.ok();
    assert_eq!(data["joined_at"], "2025-03-04T03:06:07Z");

    put(deployment, "members/424242", json!({ "role_id": "999" })).await.refused(422, &["role_id"]);
    let bad = [("role_id", json!("absent")), ("role_id", json!(7)), ("joined_at", json!("yesterday"))];
    refuse_each(&api, ("PUT", &path(deployment, "members/7")), &admin, &bad).await;
    put(deployment, "members/x", admin).await.refused(400, &["chatId"]);

    // Removing a staff member ends their session.
    let leaving = &guild.members[2];
    let session = go_on_duty(&api, leaving).await;
    api.delete(&path(deployment, &format!("members/{}", leaving.chat))).await.ok();
    let beat = api.post("/staff/play/heartbeat", json!({ "session_id": session })).await.ok();
    assert_eq!(beat["alive"], false);
    assert!(!list().await.to_string().contains(&leaving.chat));
    let again = api.delete(&path(deployment, &format!("members/{}", leaving.chat))).await;
    let foreign = &deployment.other_guild().members[0].chat;
    same_404(again, api.delete(&path(deployment, &format!("members/{foreign}"))).await);
    assert_eq!(deployment.audit("staff_members.put").await.len(), 3);
    assert_eq!(deployment.audit("staff_members.delete").await[0]["target_id"], leaving.chat.as_str());
}

async fn changing_roles_and_members_needs_the_admin_scope(deployment: &Deployment) {
    let guild = deployment.guild();
    let api = deployment.api().key(&guild.game_key);
    let member = path(deployment, &format!("members/{}", guild.members[0].chat));
    let role = path(deployment, &format!("roles/{}", guild.high_role));
    for path in [member, role] {
        let body = Some(json!({ "role_id": guild.high_role, "role_name": "x" }));
        api.send(Method::PUT, &path, body).await.refused(403, &["`admin`"]);
        api.delete(&path).await.refused(403, &["`admin`"]);
    }
    let reads = deployment.api().key(&deployment.new_key("read").await);
    reads.get(&path(deployment, "loa")).await.refused(403, &["`staff`"]);
    reads.get(&format!("/staff/members/{}", guild.id)).await.ok();
    for rest in ["loa", "strikes", "notes", "quota", "loa/expire", "strikes/expire"] {
        reads.post(&path(deployment, rest), json!({})).await.refused(403, &["`staff`"]);
    }
}

async fn roles_and_members_are_changed_by_command(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let of_guild = ["--guild", guild.id.as_str()];
    let run = async |args: &[&str]| {
        let args: Vec<&str> = ["staff"].iter().chain(args).chain(&of_guild).copied().collect();
        deployment.command(&args).await
    };
    let set = ["roles", "set", "55", "--name", "Night shift", "--permissions", "lookup.read,moderation.read"];
    run(&set).await.succeeded();
    run(&["members", "set", "424242", "--role", "55", "--joined-at", "2025-01-01T00:00:00Z"])
        .await
        .succeeded();
    let roles = run(&["roles", "list"]).await.succeeded();
    assert!(roles.contains("Night shift") && roles.contains("lookup.read,moderation.read"), "{roles}");
    let members = run(&["members", "list"]).await.succeeded();
    assert!(members.contains("424242") && members.contains("2025-01-01T00:00:00Z"), "{members}");
    let permitted = api.get(&format!("/staff/permissions/{}/424242", guild.id)).await.ok();
    assert_eq!(permitted["role_name"], "Night shift");
    // Absent options are unchanged; an empty list removes every permission.
    run(&["roles", "set", "55", "--play-permissions", "kick,warn"]).await.succeeded();
    run(&["roles", "set", "55", "--name", "Day shift"]).await.succeeded();
    let roles = run(&["roles", "list"]).await.succeeded();
    let line = roles.lines().find(|line| line.starts_with("55")).unwrap();
    assert!(
        line.contains("Day shift")
            && line.contains("lookup.read,moderation.read")
            && line.ends_with("kick,warn"),
        "{roles}"
    );
    run(&["roles", "set", "55", "--permissions", ""]).await.succeeded();
    let permitted = api.get(&format!("/staff/permissions/{}/424242", guild.id)).await.ok();
    assert_eq!(
        (&permitted["permissions"], &permitted["play_permissions"]),
        (&json!([]), &json!(["kick", "warn"]))
    );
    for (option, names, problem) in
        [("--permissions", "kick", "is not one of"), ("--play-permissions", "Warn!", "lower-case letters")]
    {
        let output = run(&["roles", "set", "55", option, names]).await;
        assert!(output.code == Some(2) && output.stderr.contains(problem), "{output:?}");
    }
    assert!(run(&["roles", "set", "56", "--permissions", ""]).await.refused().contains("--name"));
    assert!(run(&["roles", "remove", "55"]).await.refused().contains("1 staff member:"));
    assert!(run(&["members", "set", "424242", "--role", "56"]).await.refused().contains("no staff role 56"));
    run(&["members", "remove", "424242"]).await.succeeded();
    run(&["roles", "remove", "55"]).await.succeeded();
    run(&["members", "remove", "424242"]).await.refused();
    run(&["roles", "remove", "55"]).await.refused();
    assert_eq!(deployment.audit("staff_members.delete").await[0]["actor_id"], "0");
}
