//! Who is on a server, as its ticks say.

use super::tick::tick;
use super::*;

both_modes!(a_server_says_who_is_on_it, a_list_of_players_is_written_as_seldom_as_its_row);

async fn players(api: &Api, deployment: &Deployment, server: &str) -> Value {
    api.get(&format!("/guilds/{}/servers/{server}/players", deployment.guild().id)).await.ok()
}

async fn a_server_says_who_is_on_it(deployment: &Deployment) {
    let api = deployment.api();
    tick(&api, "s1", 1, json!({ "players": [502, 501, 501, -1], "joined": [502] })).await;
    let listed = players(&api, deployment, "s1").await;
    assert_eq!((&listed["server_id"], &listed["players"]), (&json!("s1"), &json!([501, 502])));
    assert!(listed["as_of"].is_string() && listed["player_count"] == 4, "{listed}");
    // One says how many they are, another that nobody is there.
    tick(&api, "s2", 1, json!({ "player_count": 7, "joined": [501] })).await;
    let counted = json!({ "server_id": "s2", "player_count": 7, "players": null, "as_of": null });
    assert_eq!(players(&api, deployment, "s2").await, counted);
    tick(&api, "s3", 1, json!({ "players": [] })).await;
    assert_eq!(players(&api, deployment, "s3").await["players"], json!([]));
    let path = |server: &str| format!("/guilds/{}/servers/{server}/players", deployment.guild().id);
    api.get(&path("unknown")).await.refused(404, &["server"]);
    let player = api.key(&deployment.new_key("play").await);
    player.get(&path("s1")).await.refused(403, &["read"]);
    let stranger = api.key(&deployment.other_guild().admin_key);
    stranger.get(&path("s1")).await.refused(403, &["another guild"]);
    // They go with the server.
    tick(&api, "s1", 2, json!({ "closing": true })).await;
    api.get(&path("s1")).await.refused(404, &["server"]);
}

async fn a_list_of_players_is_written_as_seldom_as_its_row(deployment: &Deployment) {
    let api = deployment.api();
    // The first list of a server that was heard already is written at once.
    heartbeat(&api, "s1", 1).await;
    tick(&api, "s1", 2, json!({ "players": [501] })).await;
    assert_eq!(players(&api, deployment, "s1").await["players"], json!([501]));
    tick(&api, "s1", 3, json!({ "players": [501, 502] })).await;
    heartbeat(&api, "s1", 9).await;
    let listed = players(&api, deployment, "s1").await;
    assert_eq!((&listed["players"], &listed["player_count"]), (&json!([501]), &json!(9)));
}
