//! Against the real API, in one mode: what each server does is the same in both, and the endpoints have their own tests.

use luau_harness::{Pace, Place, World};
use serde_json::{Value, json};
use testkit::{Api, Deployment};

mod by_hand;
mod held;
mod hours;

/// A key of a large game. The API counts by real time, and hours of many servers pass within seconds.
async fn key(deployment: &Deployment) -> String {
    let guild = deployment.guild();
    let create =
        ["keys", "create", "--guild", &guild.id, "--name", "servers", "--owner", &guild.members[0].chat];
    let more = ["--scopes", "play,moderation,links", "--hot-path-factor", "1000"];
    deployment.command(&[&create[..], &more].concat()).await.succeeded().trim().to_owned()
}

/// A world with so many servers, which have not started the SDK.
async fn world(deployment: &Deployment, pace: Pace, servers: usize) -> World {
    let secret = key(deployment).await;
    let mut world = World::new(seed(), pace);
    for number in 0..servers {
        let job = format!("server-{number}");
        world.add(Place { job, place: 77, universe: 7, studio: false, secret: secret.clone() }).unwrap();
    }
    world
}

fn seed() -> u64 {
    let seed = std::env::var("GUILDHALL_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    println!("GUILDHALL_SEED={seed}");
    seed
}

/// The game's script: holds players until they are checked, and counts commands.
fn script(deployment: &Deployment, options: &str) -> String {
    let url = deployment.api_base(0);
    format!(
        r#"
        local Players = game:GetService("Players")
        runs = {{}}
        guildhall = Guildhall.start({{
            url = "{url}",
            key = game:GetService("HttpService"):GetSecret("guildhall"),
            commands = {{
                count = function(command)
                    runs[command.reason] = (runs[command.reason] or 0) + 1
                    task.wait(90)
                    return nil
                end,
            }},
            {options}
        }})
        Players.CharacterAutoLoads = false
        Players.PlayerAdded:Connect(function(player)
            if guildhall:admit(player) then
                player:LoadCharacterAsync()
            end
        end)
        "#
    )
}

async fn ban(api: &Api, guild: &str, user: i64) {
    let body = json!({ "identifier": user.to_string(), "reason": "spawn camping", "moderator_id": "0" });
    api.post(&format!("/moderation/{guild}/play/ban"), body).await.ok();
}

/// Every ban of the guild, in all states.
async fn bans(api: &Api, guild: &str) -> Vec<Value> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = api.get(&format!("/moderation/{guild}/bans?limit=100{cursor}")).await.ok();
        found.extend(page["bans"].as_array().unwrap().clone());
        match page["next_cursor"].as_i64() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return found,
        }
    }
}
