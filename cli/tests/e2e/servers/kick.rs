//! A ban tells live game servers to remove the player.

use super::tick::{TICK, body};
use super::*;
use testkit::console::Console;

both_modes!(
    a_ban_kicks_on_the_servers_of_its_scope(own),
    a_ban_does_not_fail_for_want_of_room(own),
    the_console_shows_which_servers_acted(own),
);

async fn ban(deployment: &Deployment, identifier: &str, more: Value) -> Value {
    let mut body = json!({ "identifier": identifier, "reason": "spam",
        "moderator_id": deployment.guild().members[0].chat });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    deployment.api().post(&format!("/moderation/{}/play/ban", deployment.guild().id), body).await.ok()
}

async fn a_ban_kicks_on_the_servers_of_its_scope(deployment: &Deployment) {
    let (api, member) = (deployment.api(), &deployment.guild().members[3]);
    assert_eq!(ban(deployment, "601", json!({})).await["kicks"], 0, "no server is live");
    for (server, place) in [("s1", 71), ("s2", 71), ("s3", 9), ("", 71)] {
        api.post(TICK, body(server, 1, json!({ "place_id": place }))).await.ok();
    }
    let stranger = api.key(&deployment.other_guild().admin_key);
    heartbeat(&stranger, "s9", 1).await;
    // By the chat account: the game is told the game account.
    assert_eq!(ban(deployment, &member.chat, json!({})).await["kicks"], 3);
    for server in ["s1", "s2", "s3"] {
        let commands = poll(&api, server).await;
        assert_eq!(commands.len(), 1, "{server}");
        let command = &commands[0];
        assert_eq!(
            (&command["type"], &command["target_id"]),
            (&json!("kick"), &json!(member.play.to_string()))
        );
        assert_eq!(command["reason"], "spam");
        ack(&api, server, command["id"].as_str().unwrap()).await;
    }
    assert!(poll(&stranger, "s9").await.is_empty());
    let entries = deployment.audit("moderation.ban").await;
    assert_eq!(entries[0]["metadata"]["kicks"], 3, "{}", entries[0]);
    // Of one place.
    assert_eq!(ban(deployment, "602", json!({ "place_id": 9 })).await["kicks"], 1);
    assert_eq!((poll(&api, "s3").await.len(), poll(&api, "s1").await.len()), (1, 0));
    // Not wanted, not known in the game, or only muted.
    assert_eq!(ban(deployment, "603", json!({ "kick": false })).await["kicks"], 0);
    assert_eq!(ban(deployment, "812345678901234599", json!({})).await["kicks"], 0);
    let mute =
        json!({ "identifier": "604", "reason": "r", "moderator_id": deployment.guild().members[0].chat });
    api.post(&format!("/moderation/{}/play/mute", deployment.guild().id), mute).await.ok();
    assert!(poll(&api, "s1").await.is_empty());
    let bad = json!({ "identifier": "604", "reason": "r", "moderator_id": "0", "kick": "yes" });
    api.post(&format!("/moderation/{}/play/ban", deployment.guild().id), bad).await.refused(400, &["kick"]);
    // The studio's server is for its developer.
    let server = list(&api, deployment, "").await.into_iter().next().unwrap();
    assert_eq!((&server["server_id"], &server["studio"]), (&json!(""), &json!(true)));
    let broadcast = json!({ "type": "announce", "target_id": "all" });
    let path = format!("/guilds/{}/servers/commands", deployment.guild().id);
    assert_eq!(api.post(&path, broadcast).await.ok()["queued"], 3);
}

async fn a_ban_does_not_fail_for_want_of_room(deployment: &Deployment) {
    let api = deployment.api();
    api.post(TICK, body("s1", 1, json!({}))).await.ok();
    queue(&api, "s1", "1").await;
    // As many as a guild may have (docs/rules.md 3).
    let copies = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 10000) ";
    let id = match deployment.mode() {
        testkit::Mode::Embedded => "randomblob(16)",
        testkit::Mode::Distributed => "gen_random_uuid()",
    };
    let columns = "guild_id, server_id, kind, target_id, reason, issued_by, issued_at, state";
    let insert = format!(
        "INSERT INTO server_command (command_id, {columns}) {copies} SELECT {id}, {columns} FROM server_command, n"
    );
    deployment.execute(&insert).await;
    assert_eq!(ban(deployment, "605", json!({})).await["kicks"], 0);
    let checked = api.get(&format!("/moderation/{}/ban-status/605", deployment.guild().id)).await.ok();
    assert_eq!(checked["banned"], true);
}

async fn the_console_shows_which_servers_acted(deployment: &Deployment) {
    let (api, owner) = (deployment.api(), Console::owner(deployment).await);
    let bans = format!("/console/guilds/{}/moderation/bans", deployment.guild().id);
    for server in ["s1", "s2", "s3"] {
        api.post(TICK, body(server, 1, json!({}))).await.ok();
    }
    let player = deployment.guild().members[4].play.to_string();
    let form = [("identifier", player.as_str()), ("reason", "spam"), ("length", "604800")];
    let page = owner.submit(&format!("{bans}/new"), &form).await;
    page.shows(200, "3 game servers were told to remove them.").shows(200, "waits for the server");
    for (server, result) in
        [("s1", json!({ "status": "ok" })), ("s2", json!({ "status": "error", "message": "no such player" }))]
    {
        let id = poll(&api, server).await[0]["id"].as_str().unwrap().to_owned();
        api.post(&format!("/play/servers/{server}/commands/{id}/ack"), result).await.ok();
    }
    let id =
        api.get(&format!("/moderation/{}/bans", deployment.guild().id)).await.ok()["bans"][0]["id"].clone();
    let page = owner.get(&format!("{bans}/{id}")).await;
    page.shows(200, "s1 done")
        .shows(200, "s2 failed there no such player")
        .shows(200, "s3 waits for the server");
}
