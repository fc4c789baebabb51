//! /console/guilds/:guild/servers: game servers by their heartbeats, and commands with their answers.

use std::time::Duration;

use runtime::Clock;
use serde_json::{Value, json};
use testkit::{Api, Deployment, eventually, in_turn};

use super::security::sql;
use testkit::console::Console;

in_turn!(
    a_server_is_shown_from_its_first_heartbeat,
    a_server_that_went_offline_takes_no_command,
    a_command_is_fetched_and_its_answer_shown,
    each_kind_of_command_asks_for_what_it_needs,
    one_command_goes_to_the_live_servers_of_a_place,
    a_place_that_cannot_be_read_reaches_no_server,
    what_is_wrong_with_a_command_stands_at_its_field,
    a_long_list_goes_on_where_it_was,
    a_long_list_goes_on_after_a_refused_command,
    servers_are_sorted_by_a_column,
    staff_who_may_only_read_send_nothing
);

pub(super) fn servers(deployment: &Deployment) -> String {
    format!("/console/guilds/{}/servers", deployment.guild().id)
}

/// The client of a game server.
pub(super) fn game(deployment: &Deployment) -> Api {
    deployment.api().key(&deployment.guild().game_key)
}

pub(super) async fn heartbeat(api: &Api, server: &str, place: i64, players: i64) {
    let body =
        json!({ "server_id": server, "place_id": place, "universe_id": place + 1, "player_count": players });
    api.post("/play/servers/heartbeat", body).await.ok();
}

pub(super) async fn register(api: &Api, place: i64, name: &str) {
    let game = json!({ "place_id": place, "universe_id": place + 1, "name": name });
    api.post("/play/games/register", game).await.ok();
}

/// The commands that this server would fetch.
pub(super) async fn fetched(api: &Api, server: &str) -> Vec<Value> {
    let data = api.get(&format!("/play/servers/{server}/commands")).await.ok();
    data["commands"].as_array().unwrap().clone()
}

async fn a_server_is_shown_from_its_first_heartbeat(deployment: &Deployment) {
    let (owner, api) = (Console::owner(deployment).await, game(deployment));
    let empty = owner.get(&servers(deployment)).await;
    empty.shows(200, "No server is live. A game server appears with its first heartbeat");
    empty.shows(200, "Live servers 0 Players on them 0").shows(200, "No command was sent yet.");
    register(&api, 11, "Castle").await;
    heartbeat(&api, "eu 1/7?", 11, 3).await;
    heartbeat(&api, "", 12, 1).await;
    let list = owner.get(&servers(deployment)).await;
    list.shows(200, "Live servers 2 Players on them 4");
    let row = list.row("eu 1/7?");
    assert!(row.contains("3 Castle just now just now live"), "{row}");
    let castle = owner.press(&list, "Show servers", &[("place", "11")]).await;
    castle.shows(200, "eu 1/7?").has_typed("place", "11");
    assert!(!castle.contains("Studio"), "{}", castle.text());
    let none = owner.press(&list, "Show servers", &[("state", "offline")]).await;
    none.shows(200, "No server matches.");
    for (name, players) in [("eu 1/7?", "Players 3 Place Castle"), ("Studio", "Players 1 Place 12")] {
        let one = owner.get(&list.link(name)).await;
        one.shows(200, name).shows(200, players).shows(200, "No command was sent to this server.");
    }
    heartbeat(&api, "eu 1/7?", 11, 8).await;
    eventually("the next heartbeat is shown", Duration::from_secs(10), async || {
        owner.get(&list.link("eu 1/7?")).await.contains("Players 8").then_some(())
    })
    .await;
    owner.get(&format!("{}/unknown", servers(deployment))).await.shows(404, "There is no such page");
}

async fn a_server_that_went_offline_takes_no_command(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let row = "INSERT INTO game_server (guild_id, server_id, place_id, universe_id, player_count, first_seen_at, \
               last_heartbeat_at) VALUES (?, 'gone', 11, 12, 3, ?, ?)";
    let guild = deployment.guild().id.parse::<i64>().unwrap();
    let heard = Clock::system().now() - chrono::TimeDelta::hours(2);
    sql(deployment, row, vec![guild.into(), heard.into(), heard.into()]).await;
    let live = owner.get(&servers(deployment)).await;
    assert!(!live.shows(200, "No server is live.").contains("gone"));
    let list = owner.press(&live, "Show servers", &[("state", "all")]).await;
    assert!(list.row("gone").contains("2 h ago 2 h ago offline"), "{}", list.text());
    let one = owner.get(&list.link("gone")).await;
    one.shows(200, "offline");
    assert!(!one.contains("Send command"), "{}", one.text());
}

async fn a_command_is_fetched_and_its_answer_shown(deployment: &Deployment) {
    let (guild, owner, api) = (deployment.guild(), Console::owner(deployment).await, game(deployment));
    let member = &guild.members[3];
    heartbeat(&api, "s1", 11, 3).await;
    assert!(fetched(&api, "s1").await.is_empty());
    let page = owner.get(&owner.get(&servers(deployment)).await.link("s1")).await;
    let kick = [("kind", "kick"), ("target_id", member.name.as_str()), ("reason", "<b>spam</b>")];
    let queued = owner.press(&page, "Send command", &kick).await;
    let said = format!("Kick {} queued. The server last reported just now", member.name);
    queued.shows(200, &said);
    let row = queued.row("kick");
    assert!(row.contains(&member.name) && row.contains("<b>spam</b> s1"), "{row}");
    assert!(row.ends_with("waits for the server"), "{row}");
    let announce = [("kind", "announce"), ("text", "Back at ten"), ("reason", "of another kind")];
    owner.press(&queued, "Send command", &announce).await.shows(200, "Announce to everybody queued.");
    let commands = fetched(&api, "s1").await;
    let of =
        |command: &Value| (command["type"].clone(), command["target_id"].clone(), command["reason"].clone());
    let sent: Vec<_> = commands.iter().map(of).map(|(a, b, c)| json!([a, b, c])).collect();
    let kicked = json!(["kick", member.play.to_string(), "<b>spam</b>"]);
    assert_eq!(sent, [kicked, json!(["message", "all", "Back at ten"])]);
    for (command, status, message) in
        [(&commands[0], "error", "no such player"), (&commands[1], "ok", "3 saw it")]
    {
        let path = format!("/play/servers/s1/commands/{}/ack", command["id"].as_str().unwrap());
        api.post(&path, json!({ "status": status, "message": message })).await.ok();
    }
    for shown in [page.path(), servers(deployment)] {
        let shown = owner.get(&shown).await;
        let (kick, announce) = (shown.row("kick"), shown.row("message"));
        assert!(kick.ends_with("failed there no such player"), "{kick}");
        assert!(
            announce.ends_with("done 3 saw it") && announce.contains(&guild.members[0].name),
            "{announce}"
        );
    }
    assert!(fetched(&api, "s1").await.is_empty());
}

/// What of each kind a server fetches.
async fn each_kind_of_command_asks_for_what_it_needs(deployment: &Deployment) {
    let (guild, owner, api) = (deployment.guild(), Console::owner(deployment).await, game(deployment));
    heartbeat(&api, "s1", 11, 3).await;
    let page = owner.get(&owner.get(&servers(deployment)).await.link("s1")).await;
    let play = guild.members[4].play.to_string();
    for kind in ["shutdown", "restart"] {
        let asked = owner.press(&page, "Send command", &[("kind", kind), ("reason", "update")]).await;
        asked.shows(200, "? 3 players leave it.").has_typed("kind", kind).has_typed("reason", "update");
        assert!(asked.has("details[open] [name=sure]") && fetched(&api, "s1").await.is_empty());
    }
    let (send, end) = ("Send command", "End this server");
    for (button, form, expected) in [
        (
            send,
            vec![("kind", "message"), ("target_id", &*play), ("text", "hello")],
            ["message", &*play, "hello"],
        ),
        (end, vec![("kind", "shutdown")], ["shutdown", "all", ""]),
        (end, vec![("kind", "restart"), ("reason", "update")], ["restart", "all", "update"]),
        (send, vec![("kind", "other"), ("type", "weather"), ("acts_on", "rain")], ["weather", "rain", ""]),
    ] {
        owner.press(&page, button, &form).await.shows(200, "queued. The server last reported");
        let sent = fetched(&api, "s1").await.pop().unwrap();
        assert_eq!(["type", "target_id", "reason"].map(|field| sent[field].as_str().unwrap()), expected);
    }
}

async fn one_command_goes_to_the_live_servers_of_a_place(deployment: &Deployment) {
    let (owner, api) = (Console::owner(deployment).await, game(deployment));
    for (place, name, server) in [(11, "Castle", "s1"), (21, "Harbour", "s2")] {
        register(&api, place, name).await;
        heartbeat(&api, server, place, 1).await;
        assert!(fetched(&api, server).await.is_empty());
    }
    let page = owner.get(&servers(deployment)).await;
    let restart = [("kind", "restart"), ("place_id", "21")];
    let unsure = owner.press(&page, "Send to all live servers", &restart).await;
    unsure.refuses("word", "", "Type all here: the command goes to every live server.");
    unsure.keeps("kind", "restart").keeps("place_id", "21");
    let of_place = owner.press(&unsure, "Send to all live servers", &[("word", "All")]).await;
    of_place.shows(200, "Restart queued for 1 live server.");
    assert_eq!([fetched(&api, "s1").await.len(), fetched(&api, "s2").await.len()], [0, 1]);
    let all = [("kind", "announce"), ("text", "hello"), ("word", "all")];
    let queued = owner.press(&of_place, "Send to all live servers", &all).await;
    queued.shows(200, "Announce to everybody queued for 2 live servers.");
    assert_eq!([fetched(&api, "s1").await.len(), fetched(&api, "s2").await.len()], [1, 2]);
    // What concerns one player needs no word.
    let play = deployment.guild().members[3].play.to_string();
    let kick = [("kind", "kick"), ("target_id", play.as_str())];
    owner.press(&queued, "Send to all live servers", &kick).await.shows(200, "queued for 2 live servers.");
}

/// An unreadable filter must not widen the selection.
async fn a_place_that_cannot_be_read_reaches_no_server(deployment: &Deployment) {
    let (owner, api) = (Console::owner(deployment).await, game(deployment));
    heartbeat(&api, "s1", 11, 1).await;
    let form = [("kind", "shutdown"), ("word", "all"), ("place_id", "lobby")];
    let refused = owner.post(&format!("{}/command", servers(deployment)), &form).await;
    assert!(fetched(&api, "s1").await.is_empty(), "the command went to every server");
    refused.shows(422, "Enter the number");
}

async fn what_is_wrong_with_a_command_stands_at_its_field(deployment: &Deployment) {
    let (owner, api) = (Console::owner(deployment).await, game(deployment));
    heartbeat(&api, "s1", 11, 1).await;
    let list = owner.get(&servers(deployment)).await;
    let one = owner.get(&list.link("s1")).await;
    let (long, play) = ("r".repeat(1001), deployment.guild().members[3].play.to_string());
    let kick = [("kind", "kick"), ("target_id", &*play), ("reason", "spam")];
    let message = [("kind", "message"), ("target_id", &*play), ("text", "hello")];
    let other = [("kind", "other"), ("type", "weather"), ("acts_on", "rain")];
    for (page, button) in [(&one, "Send command"), (&list, "Send to all live servers")] {
        let word = (button != "Send command").then_some(("word", "all"));
        for (right, field, typed, label) in [
            (kick, "target_id", "", "Give a Roblox id or a player's name."),
            (kick, "target_id", "999999999999", "Roblox knows no player with this id."),
            (kick, "target_id", "nobody_at_all", "Roblox has no such player"),
            (kick, "reason", &long, "Say why"),
            (message, "text", "", "Enter what the game is to show"),
            (message, "text", &long, "Enter what the game is to show"),
            (other, "type", "", "Enter a word"),
            (other, "type", "kick all", "Enter a word"),
            (other, "acts_on", "", "Enter a Roblox id"),
        ] {
            let others = right.into_iter().filter(|(name, _)| *name != field);
            let form: Vec<_> = others.clone().chain([(field, typed)]).chain(word).collect();
            let refused = owner.press(page, button, &form).await;
            refused.refuses(field, typed, label);
            for (name, value) in others.chain(word) {
                refused.keeps(name, value);
            }
        }
    }
    let unknown = owner.post(&format!("{}/command", one.path()), &[("kind", "dance")]).await;
    unknown.shows(422, "Choose a command.");
    assert!(fetched(&api, "s1").await.is_empty());
}

/// Live servers `s00` to `s50`: one more than a page has.
async fn many(deployment: &Deployment) {
    let api = game(deployment);
    for number in 0..51 {
        heartbeat(&api, &format!("s{number:02}"), 11, 1).await;
    }
}

async fn a_long_list_goes_on_where_it_was(deployment: &Deployment) {
    many(deployment).await;
    let owner = Console::owner(deployment).await;
    let first = owner.get(&format!("{}?state=all", servers(deployment))).await;
    assert!(first.shows(200, "s24").contains("Live servers 51") && !first.contains("s25"));
    let second = owner.get(&first.link("Load more")).await;
    let last = owner.get(&second.link("Load more")).await;
    last.shows(200, "s50").has_typed("state", "all");
    assert!(!last.contains("s49") && !last.contains("Load more"), "{}", last.text());
}

async fn servers_are_sorted_by_a_column(deployment: &Deployment) {
    many(deployment).await;
    let (owner, api) = (Console::owner(deployment).await, game(deployment));
    heartbeat(&api, "s60", 11, 10).await;
    heartbeat(&api, "s70", 11, 12).await;
    let by_id = owner.get(&format!("{}?state=live", servers(deployment))).await;
    let fewest = owner.get(&by_id.link("Players")).await;
    let most = owner.get(&fewest.link("Players")).await;
    let order = ["s70", "s60", "s00"].map(|id| most.text().find(id).unwrap_or(usize::MAX));
    assert!(order.is_sorted(), "{}", most.text());
    most.shows(200, "Players ↓").has_typed("state", "live");
    // An invalid position in the list counts as its beginning.
    for skip in ["18446744073709551615", "9223372036854775808", "-1", "x"] {
        owner.get(&format!("{}?skip={skip}", servers(deployment))).await.shows(200, "s00");
    }
    let last = owner.get(&owner.get(&most.link("Load more")).await.link("Load more")).await;
    assert!(!last.contains("s70") && !last.contains("Load more"), "{}", last.text());
}

/// The refused form has an address of its own, which only the form leads to.
async fn a_long_list_goes_on_after_a_refused_command(deployment: &Deployment) {
    many(deployment).await;
    let owner = Console::owner(deployment).await;
    let list = owner.get(&servers(deployment)).await;
    let refused = owner.press(&list, "Send to all live servers", &[("kind", "restart")]).await;
    refused.shows(422, "Type all here");
    owner.get(&refused.link("Load more")).await.shows(200, "s49");
}

async fn staff_who_may_only_read_send_nothing(deployment: &Deployment) {
    let (guild, api) = (deployment.guild(), game(deployment));
    heartbeat(&api, "s1", 11, 1).await;
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    let list = staff.get(&servers(deployment)).await;
    let one = staff.get(&list.link("s1")).await;
    let kick = [("kind", "kick"), ("target_id", "5"), ("word", "all")];
    for page in [&list, &one] {
        assert!(!page.shows(200, "live").contains("Send"), "{}", page.text());
        let sent = staff.post(&format!("{}/command", page.path()), &kick).await;
        sent.shows(404, "There is no such page");
    }
    assert!(fetched(&api, "s1").await.is_empty());
}
