//! Members who link themselves at `/link/:guild`, by each way that a page offers.

use serde_json::json;

use super::{Console, Page};
use crate::{Deployment, Guild, Member, Setup, http_builder};

/// What people's browsers would see; tests use paths alone.
const PUBLIC: &str = "https://console.example";

/// With the applications that sign-ins need.
pub fn with_both_platforms(setup: Setup) -> Setup {
    let setup = setup.env("GUILDHALL_CHAT_CLIENT_ID", "guildhall-demo").env("GUILDHALL_PUBLIC_URL", PUBLIC);
    let setup = setup.env("GUILDHALL_CHAT_CLIENT_SECRET", "guildhall-demo-secret");
    let setup = setup.env("GUILDHALL_PLAY_CLIENT_ID", "guildhall-demo-play");
    setup.env("GUILDHALL_PLAY_CLIENT_SECRET", "guildhall-demo-play-secret")
}

pub fn link_page(guild: &Guild) -> String {
    format!("/link/{}", guild.id)
}

/// Proves a player by the words on this page; returns the page that asks.
pub async fn prove_by_profile(deployment: &Deployment, console: &Console, prove: &Page, play: i64) -> Page {
    let words = prove.texts("#profile .code strong").remove(0);
    deployment.simulator.change_profile(json!({ "play_id": play, "description": words })).await;
    console.press(prove, "Check my profile", &[("play_username", &play.to_string())]).await
}

/// The chat platform has verified that the player is this chat user.
pub async fn connect_accounts(deployment: &Deployment, chat: &str, player: &Member) {
    let verified =
        json!([{ "id": player.play.to_string(), "name": player.name, "type": "roblox", "verified": true }]);
    deployment.simulator.change_connections(json!({ "chat_id": chat, "connections": verified })).await;
}

/// Goes to the platform in one tap, or by the link of an attempt that has begun, and decides there; returns the path back.
pub async fn go_away(console: &Console, guild: &Guild, way: &str, decision: &str) -> String {
    let page = console.get(&link_page(guild)).await;
    if !page.forms().iter().any(|form| form.button(way).is_some()) {
        let start = console.get(&page.link(way)).await;
        assert_eq!(start.status, 303, "{}", start.text());
        return decide(start.location(), decision).await;
    }
    let leave = console.press(&page, way, &[]).await;
    assert!(leave.has("meta[http-equiv=refresh]"), "{}", leave.html);
    decide(&leave.link("Go on to"), decision).await
}

/// Decides on the platform's page; returns the path back.
pub async fn decide(authorize: &str, decision: &str) -> String {
    let http = http_builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let form = http.post(authorize).header("content-type", "application/x-www-form-urlencoded");
    let answer = form.body(decision.to_owned()).send().await.unwrap();
    assert_eq!(answer.status(), 302);
    let back = answer.headers()["location"].to_str().unwrap().to_owned();
    back.strip_prefix(PUBLIC).unwrap_or_else(|| panic!("{back}")).to_owned()
}
