//! A guild that uses its keys for all they allow, beside an honest one. `bench door` measures what others
//! notice.

use std::collections::BTreeMap;

use entities::api_key::{self, NewKey, Scopes};
use entities::key_text::KeyText;
use futures_util::future::join_all;
use reqwest::Method;
use runtime::Clock;
use serde_json::{Value, json};
use testkit::{Deployment, both_modes};

both_modes!(a_hostile_guild_is_refused_and_others_are_served(own));

const KEYS: usize = 50;
const TURNS: usize = 4;

/// Each of the calls that make rows or much work.
fn calls(deployment: &Deployment, n: usize) -> Vec<(Method, String, Option<Value>)> {
    let guild = deployment.guild();
    let (id, staff, player) = (&guild.id, &guild.members[0].chat, (n + 1).to_string());
    let server = json!({ "server_id": format!("s{n}"), "place_id": 1, "universe_id": 1, "player_count": 1 });
    let command = json!({ "type": "kick", "target_id": player, "reason": "r" });
    let ban = json!({ "identifier": player, "reason": "r", "moderator_id": staff });
    let entry = json!({ "action": "a.b", "actor_id": staff, "target_id": player, "metadata": {} });
    vec![
        (Method::POST, "/play/servers/heartbeat".to_owned(), Some(server)),
        (Method::POST, format!("/play/servers/s{n}/commands"), Some(command.clone())),
        (Method::POST, format!("/guilds/{id}/servers/commands"), Some(command)),
        (Method::POST, format!("/moderation/{id}/play/ban"), Some(ban)),
        (Method::POST, format!("/guilds/{id}/audit-logs"), Some(entry)),
        (Method::GET, format!("/guilds/{id}/members"), None),
        (Method::GET, format!("/moderation/{id}/play/bans/active"), None),
        (Method::GET, format!("/guilds/{id}/audit-logs"), None),
        (Method::GET, format!("/moderation/{id}/ban-status/{player}"), None),
    ]
}

async fn keys(deployment: &Deployment) -> Vec<String> {
    let (connection, guild) = (deployment.connect().await, deployment.guild());
    let mut keys = Vec::new();
    for _ in 0..KEYS {
        let key = NewKey {
            guild: guild.id.parse().unwrap(),
            text: KeyText::generate(),
            name: "hostile".to_owned(),
            owner: guild.members[0].chat.parse().unwrap(),
            scopes: Scopes::default_set(),
            expires_at: None,
            hot_path_factor: 1,
            parent: None,
            trusted: false,
        };
        keys.push(key.text.reveal());
        api_key::create(&connection, key, Clock::system().now()).await.unwrap();
    }
    keys
}

async fn a_hostile_guild_is_refused_and_others_are_served(deployment: &Deployment) {
    let keys = keys(deployment).await;
    let attack = join_all(keys.iter().enumerate().map(async |(client, key)| {
        let (api, mut answers) = (deployment.api().key(key), Vec::new());
        for turn in 0..TURNS {
            for (method, path, body) in calls(deployment, turn * KEYS + client) {
                answers.push(api.send(method, &path, body).await.status);
            }
        }
        answers
    }));
    let other = deployment.other_guild();
    let honest = async {
        let api = deployment.api().key(&other.admin_key);
        for n in 0..20 {
            let ban = json!({ "identifier": (100 + n).to_string(), "reason": "r", "moderator_id": other.members[0].chat });
            api.post(&format!("/moderation/{}/play/ban", other.id), ban).await.ok();
            let status = api.get(&format!("/moderation/{}/ban-status/{}", other.id, 100 + n)).await.ok();
            assert_eq!(status["banned"], true);
        }
    };
    let (answers, ()) = futures_util::future::join(attack, honest).await;
    // Each key has a limit.
    let (api, path) =
        (deployment.api().key(&keys[0]), format!("/guilds/{}/audit-logs", deployment.guild().id));
    let mut last = Vec::new();
    for _ in 0..20 {
        last.push(api.post(&path, json!({ "action": "a.b", "metadata": {} })).await.status);
    }
    let mut counts = BTreeMap::new();
    for status in answers.into_iter().flatten().chain(last) {
        *counts.entry(status).or_insert(0) += 1;
    }
    println!("{counts:?}");
    assert!(counts.keys().all(|status| [200, 201, 422, 429].contains(status)), "{counts:?}");
    assert!(counts[&429] > 0, "{counts:?}");
}
