//! Who is on a game server, and the names of places.

use std::time::Duration;

use serde_json::json;
use testkit::{Api, Deployment, eventually, in_turn};

use super::servers::{fetched, game, heartbeat, register, servers};
use testkit::console::Console;

in_turn!(
    a_servers_page_lists_who_is_on_it,
    players_on_a_server_are_found_by_parts_of_their_names,
    places_have_the_names_of_their_games
);

/// A tick with these players.
async fn plays(api: &Api, server: &str, players: &[i64]) {
    let tick =
        json!({ "server_id": server, "place_id": 11, "universe_id": 12, "sequence": 1, "players": players });
    api.post("/play/servers/tick", tick).await.ok();
}

async fn a_servers_page_lists_who_is_on_it(deployment: &Deployment) {
    let (guild, owner, api) = (deployment.guild(), Console::owner(deployment).await, game(deployment));
    let (staff, muted, stranger) =
        (&guild.members[0], &guild.members[3], &deployment.other_guild().members[3]);
    let mute = json!({ "identifier": muted.chat, "moderator_id": staff.chat, "reason": "caps" });
    deployment.api().post(&format!("/moderation/{}/play/mute", guild.id), mute).await.ok();
    plays(&api, "s1", &[stranger.play, muted.play, staff.play]).await;
    heartbeat(&api, "s2", 11, 5).await;
    let list = owner.get(&servers(deployment)).await;
    let counted = owner.get(&list.link("s2")).await;
    counted.shows(200, "Players 5").shows(200, "This server does not say who is on it.");
    let url = list.link("s1");
    let page = eventually("the name of the player is known", Duration::from_secs(10), async || {
        let page = owner.get(&url).await;
        page.contains(&stranger.name).then_some(page)
    })
    .await;
    page.shows(200, "3 players by name, as of just now");
    assert!(page.row(&staff.name).contains("staff"), "{}", page.row(&staff.name));
    assert!(page.row(&muted.name).contains("muted"), "{}", page.row(&muted.name));
    let row = page.row(&stranger.name);
    assert!(row.contains(&format!("Roblox {}", stranger.play)) && !row.contains("muted"), "{row}");
    // Beyond the last player stands the last page.
    owner.get(&format!("{url}?players=9999")).await.shows(200, &stranger.name);
    // The row leads to forms with the player in them.
    let kick = owner.get(&page.link(&format!("Kick {}", stranger.name))).await;
    kick.has_typed("kind", "kick").has_typed("target_id", &stranger.play.to_string());
    owner.press(&kick, "Send command", &[]).await.shows(200, &format!("Kick {} queued.", stranger.name));
    let message = owner.get(&page.link(&format!("Message {}", muted.name))).await;
    let refused = owner.press(&message, "Send command", &[]).await;
    refused.refuses("text", "", "Enter what the game is to show");
    let sent = owner.press(&refused, "Send command", &[("text", "Calm down")]).await;
    sent.shows(200, &format!("Message to {} queued.", muted.name));
    let sent = fetched(&api, "s1").await;
    let said = sent.iter().map(|sent| (sent["type"].as_str().unwrap(), sent["target_id"].as_str().unwrap()));
    let (stranger_id, muted_id) = (stranger.play.to_string(), muted.play.to_string());
    assert_eq!(said.collect::<Vec<_>>(), [("kick", &*stranger_id), ("message", &*muted_id)]);
    let ban = owner.get(&page.link(&format!("Ban {}", muted.name))).await;
    ban.shows(200, "Ban a person").has_typed("identifier", &muted_id);
    // A member's page says where they are.
    let member = format!("/console/guilds/{}/members/{}", guild.id, muted.chat);
    let member = owner.get(&member).await;
    member.shows(200, "In game now s1 as of just now");
    assert_eq!(member.link("s1"), url);
    let absent = format!("/console/guilds/{}/members/{}", guild.id, guild.members[5].chat);
    assert!(!owner.get(&absent).await.contains("In game now"));
}

async fn players_on_a_server_are_found_by_parts_of_their_names(deployment: &Deployment) {
    let (owner, api) = (Console::owner(deployment).await, game(deployment));
    let others = &deployment.other_guild().members;
    let (one, two) = (&others[7], &others[8]);
    plays(&api, "s1", &[one.play, two.play]).await;
    let list = owner.get(&servers(deployment)).await;
    let page = owner.get(&list.link("s1")).await;
    let part = one.name[..one.name.len() - 1].to_uppercase();
    let guild = &deployment.guild().id;
    let suggested = async |server: &str| {
        let path = format!("/console/guilds/{guild}/suggest?of=playing&server={server}&q={part}");
        owner.get(&path).await
    };
    eventually("the players are suggested", Duration::from_secs(10), async || {
        let found = suggested("s1").await;
        (found.contains(&one.name) && found.contains(&two.name) && found.contains("in game")).then_some(())
    })
    .await;
    assert!(suggested("").await.contains(&one.name));
    assert!(!suggested("s2").await.contains(&one.name));
    // Without scripts the form asks who is meant.
    let asked = owner.press(&page, "Send command", &[("kind", "kick"), ("target_id", &part)]).await;
    asked.shows(200, "Several people match");
    assert!(fetched(&api, "s1").await.is_empty());
    let choice = format!("{} {part}", two.play);
    owner.press(&asked, "Send command", &[("target_id_is", &choice)]).await.shows(200, "queued.");
    assert_eq!(fetched(&api, "s1").await[0]["target_id"], two.play.to_string());
}

async fn places_have_the_names_of_their_games(deployment: &Deployment) {
    let (owner, api) = (Console::owner(deployment).await, game(deployment));
    for (server, place, universe) in
        [("root", 1818, 13_058), ("cave", 1820, 13_058), ("unknown", 5, 6), ("", 0, 0)]
    {
        let body =
            json!({ "server_id": server, "place_id": place, "universe_id": universe, "player_count": 1 });
        api.post("/play/servers/heartbeat", body).await.ok();
    }
    register(&api, 5, "Castle").await;
    let list = eventually("the name of the game is known", Duration::from_secs(10), async || {
        let list = owner.get(&servers(deployment)).await;
        list.row("root").contains("Crossroads").then_some(list)
    })
    .await;
    for (server, place) in [
        ("root", "1 Crossroads just"),
        ("cave", "1 Crossroads, place 1820 just"),
        ("unknown", "1 Castle just"),
    ] {
        assert!(list.row(server).contains(place), "{}", list.row(server));
    }
    assert!(list.row("Studio").contains("1 0 just"), "{}", list.row("Studio"));
    owner.get(&list.link("cave")).await.shows(200, "Place Crossroads, place 1820");
    // All places of servers are choices of the filter.
    let filtered = owner.press(&list, "Show servers", &[("place", "1820")]).await;
    filtered.shows(200, "cave").has_typed("place", "1820");
    assert!(!filtered.contains("Studio"));
}
