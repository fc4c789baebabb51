//! A player on a game server: found in the list, warned, and kicked.

use serde_json::json;
use testkit::{Deployment, in_turn};

use super::super::devtools::Browser;
use super::super::tab::Tab;
use super::super::{owner, owner_without_scripts};

in_turn!(a_player_is_kicked_from_their_row, a_player_is_kicked_from_their_row_without_scripts);

async fn a_player_is_kicked_from_their_row(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner(deployment, &browser).await;
    kick(deployment, &tab).await;
    tab.passes().await;
}

async fn a_player_is_kicked_from_their_row_without_scripts(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner_without_scripts(deployment, &browser).await;
    kick(deployment, &tab).await;
    assert_eq!(tab.reported(), Vec::<String>::new());
}

async fn kick(deployment: &Deployment, tab: &Tab<'_>) {
    let (api, member) = (deployment.api(), &deployment.guild().members[3]);
    let tick = json!({ "server_id": "arena-1", "place_id": 11, "universe_id": 12, "sequence": 1,
        "players": [member.play] });
    api.post("/play/servers/tick", tick).await.ok();
    tab.click("Servers").await;
    tab.click("arena-1").await;
    tab.sees("1 player by name, as of just now").await;
    tab.click(&format!("Actions for {}", member.name)).await;
    tab.follow(&format!("Kick {}", member.name)).await;
    tab.sees(&format!("Roblox {}", member.play)).await;
    // A kind shows the fields that it needs.
    for (kind, shown, hidden) in [
        ("other", "Word of the command", "The name of a member or player"),
        ("announce", "The game shows it.", "Word of the command"),
        ("shutdown", "Your game needs a handler", "The game shows it."),
        ("kick", "It may stay empty.", "Your game needs a handler"),
    ] {
        tab.evaluate(&format!("document.getElementById('kind').value = '{kind}'")).await;
        tab.sees(shown).await;
        tab.does_not_see(hidden).await;
    }
    tab.button("Send command").await;
    tab.sees(&format!("Kick {} queued.", member.name)).await;
    let queued = api.get("/play/servers/arena-1/commands").await.ok();
    assert_eq!(queued["commands"][0]["target_id"], member.play.to_string());
}
