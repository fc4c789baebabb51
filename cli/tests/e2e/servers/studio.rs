//! The studio's server, whose id is empty, in the console.

use reqwest::Method;
use testkit::http_client;

use super::*;
use testkit::console::Console;

both_modes!(the_studio_has_a_page_and_takes_commands);

/// What the studio sends, past the check by the document, whose paths have no empty parts.
async fn by_studio(deployment: &Deployment, method: Method, rest: &str, body: Value) -> Value {
    let url = format!("{}/play/servers//commands{rest}", deployment.api_base(0));
    let request = http_client().request(method, url).header("x-api-key", &deployment.guild().game_key);
    let answer = request.json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    serde_json::from_str(&answer.text().await.unwrap()).unwrap()
}

async fn the_studio_has_a_page_and_takes_commands(deployment: &Deployment) {
    let (api, guild, owner) = (deployment.api(), deployment.guild(), Console::owner(deployment).await);
    let servers = format!("/console/guilds/{}/servers", guild.id);
    heartbeat(&api, "", 3).await;
    // A server may be called like the studio's page.
    heartbeat(&api, "studio", 4).await;
    let list = owner.get(&servers).await;
    let page = format!("{servers}/studio");
    assert!(list.shows(200, "Studio").links().contains(&page), "{:?}", list.links());
    owner.get(&page).await.shows(200, "Studio").shows(200, "Players 3");
    let play = deployment.guild().members[3].play.to_string();
    let kick = [("kind", "kick"), ("target_id", play.as_str()), ("reason", "spam")];
    let queued = owner.submit(&format!("{page}/command"), &kick).await;
    queued.shows(200, " queued. The server last reported").shows(200, "waits for the server");
    let polled = by_studio(deployment, Method::GET, "", json!({})).await;
    let command = &polled["data"]["commands"][0];
    assert_eq!(command["target_id"], play, "{polled}");
    assert!(poll(&api, "studio").await.is_empty());
    let ack = format!("/{}/ack", command["id"].as_str().unwrap());
    by_studio(deployment, Method::POST, &ack, json!({ "status": "ok" })).await;
    owner.get(&page).await.shows(200, "done");

    let namesake = list
        .links()
        .into_iter()
        .find(|link| link.starts_with(&servers) && link.ends_with("studio") && *link != page);
    owner.get(&namesake.unwrap()).await.shows(200, "Players 4");
    let found = owner.get(&format!("/console/guilds/{}/find?q=studio", guild.id)).await;
    owner.get(found.location()).await.shows(200, "Players 4");
}
