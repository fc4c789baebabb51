//! The script by hand of the guide that the service serves at `/docs/games`, as it stands there.

use luau_harness::{Pace, Place, World};
use testkit::console::Console;
use testkit::{Deployment, Mode, Setup, http_client, run};

use super::{ban, bans, world};

const GUIDE: &str = include_str!("../../../../../../api/src/openapi/page/games.html");

#[test]
fn the_script_of_the_guide_kicks_who_is_banned() {
    run(Setup::new(Mode::Embedded), the_guide_is_true);
}

#[test]
fn the_page_of_a_new_key_is_enough_for_a_game() {
    run(Setup::new(Mode::Embedded), from_a_new_key_to_a_kick);
}

/// What the page says: add the key to the secrets, insert the script, paste three lines.
async fn from_a_new_key_to_a_kick(deployment: &Deployment) {
    let (owner, guild) = (Console::owner(deployment).await, &deployment.guild().id);
    let keys = owner.get(&format!("/console/guilds/{guild}/keys")).await;
    let page = owner.press(&keys, "Create key", &[("name", "lobby"), ("set", "game")]).await;
    let secret = page.texts("#key-text").remove(0);
    let lines = page.texts("pre code").into_iter().find(|code| code.contains("Guildhall.start")).unwrap();
    let model = http_client().get(format!("{}{}", deployment.api_base(0), page.link("the script"))).send();
    assert!(model.await.unwrap().text().await.unwrap().contains("Guildhall"));

    let mut world = World::new(1, Pace::Real);
    let place = Place { job: "lobby-1".to_owned(), place: 77, universe: 7, studio: false, secret };
    world.add(place).unwrap();
    world.servers[0].run(&lines).unwrap();
    world.servers[0].join(2_000_001).unwrap();
    world.servers[0].join(2_000_002).unwrap();
    let is_held = |world: &World| world.is_held(0, "/play/servers/tick", 0.5);
    assert!(world.run_within(30.0, is_held).await, "{:?}", world.servers[0].seen());
    ban(&deployment.api(), guild, 2_000_001).await;
    let kicked = |world: &World| world.servers[0].look(|seen| !seen.kicked.is_empty());
    assert!(world.run_within(10.0, kicked).await, "{:?}", world.servers[0].seen());
    let seen = world.servers[0].seen();
    assert_eq!((seen.kicked[0].0, seen.kicked.len(), seen.failed.len()), (2_000_001, 1, 0), "{seen:?}");
    let ban = bans(&deployment.api(), guild).await.remove(0)["id"].clone();
    for _ in 0..30 {
        let page = owner.get(&format!("/console/guilds/{guild}/moderation/bans/{ban}")).await;
        if page.contains("lobby-1 done") {
            assert!(!page.contains("the player is not here"), "{}", page.text());
            return;
        }
        world.run_for(0.5).await;
    }
    panic!("the page of the ban does not say what the server did");
}

async fn the_guide_is_true(deployment: &Deployment) {
    let (_, script) = GUIDE.split_once("<code id=\"by-hand\">").unwrap();
    let (script, _) = script.split_once("</code>").unwrap();
    assert!(!script.contains(['&', '<']), "it has characters that HTML writes otherwise");
    let script = script.replace("https://YOUR-ADDRESS", &deployment.api_base(0));
    let (api, guild) = (deployment.api(), deployment.guild().id.clone());
    let mut world = world(deployment, Pace::Real, 1).await;
    world.servers[0].join(2_000_001).unwrap();
    world.servers[0].join(2_000_002).unwrap();
    world.servers[0].run(&script).unwrap();
    assert!(
        world.run_within(30.0, |world| world.is_held(0, "/play/servers/tick", 0.5)).await,
        "a tick is held"
    );
    ban(&api, &guild, 2_000_001).await;
    assert!(world.run_within(10.0, |world| world.servers[0].look(|seen| !seen.kicked.is_empty())).await);
    let seen = world.servers[0].seen();
    assert_eq!((seen.kicked[0].0, seen.kicked.len(), seen.failed.len()), (2_000_001, 1, 0), "{seen:?}");
    // The command of the ban is acknowledged.
    let commands = "/play/servers/server-0/commands";
    for _ in 0..30 {
        if api.get(commands).await.ok()["commands"].as_array().unwrap().is_empty() {
            break;
        }
        world.run_for(1.0).await;
    }
    assert!(api.get(commands).await.ok()["commands"].as_array().unwrap().is_empty());
    world.servers[0].close().unwrap();
    assert!(world.run_within(10.0, |world| world.servers[0].look(|seen| seen.closed == Some(true))).await);
    let servers = api.get(&format!("/guilds/{guild}/servers")).await.ok();
    assert!(servers["servers"].as_array().unwrap().is_empty(), "{servers}");
}
