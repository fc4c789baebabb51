//! Calls to the chat platform by people who are not signed in: it bans the address of a service after too
//! many refusals.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Url;
use serde_json::{Value, json};
use testkit::{Deployment, in_turn};

use super::sign_in::{ATTEMPT, authorize, begin, decide, with_application};
use testkit::console::Console;

in_turn!(
    the_platform_is_asked_about_attempts_that_were_begun_here(super::with_application),
    an_address_signs_in_thirty_times_a_minute(super::with_application),
    a_guild_without_the_bot_is_asked_about_once(own),
);

/// Calls of these routes that the platform received.
async fn calls(deployment: &Deployment, routes: &[&str]) -> u64 {
    let stats = deployment.simulator.stats().await;
    let of = |route: &&str| -> u64 {
        let statuses = stats["requests"][*route].as_object().into_iter().flat_map(|map| map.values());
        statuses.filter_map(Value::as_u64).sum()
    };
    routes.iter().map(of).sum()
}

async fn tokens_asked(deployment: &Deployment) -> u64 {
    calls(deployment, &["POST /oauth2/token"]).await
}

fn attempt(state: &str, verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(json!({ "state": state, "verifier": verifier, "to": null }).to_string())
}

fn state_of(url: &Url) -> String {
    url.query_pairs().find(|(name, _)| name == "state").unwrap().1.into_owned()
}

async fn the_platform_is_asked_about_attempts_that_were_begun_here(deployment: &Deployment) {
    let console = Console::new(deployment);
    let begun = state_of(&begin(&console).await);
    let (text, signature) = begun.rsplit_once('.').unwrap();
    let later = format!("f{text}.{signature}");
    // Cookies can be forged.
    for state in ["x", "", &later, text, &begun] {
        console.set_cookie(ATTEMPT, &attempt(state, "v"));
        let page = console.get(&format!("/console/sign-in/callback?state={state}&code=c")).await;
        page.shows(403, "was not begun in this browser");
    }
    assert_eq!(tokens_asked(deployment).await, 0);
    // A genuine attempt once, whatever codes it brings.
    begin(&console).await;
    let cookie = console.cookie(ATTEMPT).unwrap();
    let begun: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(&cookie).unwrap()).unwrap();
    for n in 0..5 {
        console.set_cookie(ATTEMPT, &cookie);
        let back = format!("/console/sign-in/callback?state={}&code=c{n}", begun["state"].as_str().unwrap());
        console.get(&back).await.shows(403, "has expired or was used before");
    }
    assert_eq!(tokens_asked(deployment).await, 1);
    // A pause that the platform asks for is observed.
    deployment
        .fault(json!({ "route": "POST /oauth2/token", "status": 429, "retry_after": 60, "count": 1 }))
        .await;
    let owner = &deployment.guild().members[0].chat;
    for _ in 0..3 {
        let back = decide(&begin(&console).await, &authorize(owner)).await;
        console.get(&back).await.shows(403, "Discord does not answer");
    }
    assert_eq!(tokens_asked(deployment).await, 2);
}

async fn an_address_signs_in_thirty_times_a_minute(deployment: &Deployment) {
    let console = Console::new(deployment);
    let mut asked = 0;
    let over = loop {
        let state = state_of(&begin(&console).await);
        let page = console.get(&format!("/console/sign-in/callback?state={state}&code=c")).await;
        if page.status != 403 {
            break page;
        }
        asked += 1;
        assert!(asked <= 30, "no limit");
    };
    over.shows(429, "too many people sign in from this address");
    assert!((1..=60).contains(&over.header("retry-after").parse::<u64>().unwrap()));
    assert_eq!((asked, tokens_asked(deployment).await), (30, 30));
}

/// Each request of a stranger for a guild without the bot cost four refusals.
async fn a_guild_without_the_bot_is_asked_about_once(deployment: &Deployment) {
    let routes = ["GET /guilds/:guild/members/:user", "GET /guilds/:guild/roles", "GET /guilds/:guild"];
    let other = deployment.other_guild();
    let stranger = Console::of(deployment, other, &other.members[10].chat).await;
    for route in routes {
        deployment.fault(json!({ "route": route, "status": 403, "code": 50001, "count": 1000 })).await;
    }
    let before = calls(deployment, &routes).await;
    for _ in 0..10 {
        stranger.get(&format!("/console/guilds/{}", other.id)).await;
    }
    let caused = calls(deployment, &routes).await - before;
    assert!((1..=4).contains(&caused), "{caused} refusals");
}
