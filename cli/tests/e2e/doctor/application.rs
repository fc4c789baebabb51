//! What doctor compares with the application of the bot, as the chat platform has it, and with the platform's clock.

use std::io::{BufRead, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};
use testkit::{Deployment, Mode, both_modes, eventually};

use super::{assert_says, examined_with, failed};

both_modes!(
    differences_from_the_portal_name_their_cure(own),
    doctor_says_which_way_commands_come(own),
    sign_in_needs_its_address_and_ways_their_application,
    a_platform_with_another_time_is_named,
);

/// The simulator's.
const APPLICATION: &str = "900000000000000001";

type Variables = Vec<(&'static str, String)>;

/// Both applications, with an address.
fn variables(deployment: &Deployment) -> Variables {
    [
        ("PUBLIC_URL", deployment.api_base(0).as_str()),
        ("CHAT_CLIENT_ID", APPLICATION),
        ("CHAT_CLIENT_SECRET", "secret"),
        ("PLAY_CLIENT_ID", "9"),
        ("PLAY_CLIENT_SECRET", "secret"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .into()
}

fn with(mut variables: Variables, name: &'static str, value: &str) -> Variables {
    variables.retain(|(known, _)| *known != name);
    variables.push((name, value.to_owned()));
    variables
}

/// The same, as the developer portal has them.
pub(super) async fn registered(deployment: &Deployment) -> Variables {
    let base = deployment.api_base(0);
    let redirects =
        ["/console/sign-in/callback", "/link/callback/discord"].map(|path| format!("{base}{path}"));
    deployment.simulator.set_redirects(&redirects).await;
    eventually("the commands are registered", std::time::Duration::from_secs(20), async || {
        (!deployment.simulator.commands().await.is_empty()).then_some(())
    })
    .await;
    variables(deployment)
}

fn detail<'a>(checks: &'a [Value], name: &str) -> &'a str {
    let check = checks.iter().find(|check| check["name"] == name && check["ok"] == true);
    check.unwrap_or_else(|| panic!("{name} is not fine: {checks:?}"))["detail"].as_str().unwrap()
}

async fn differences_from_the_portal_name_their_cure(deployment: &Deployment) {
    let (base, right) = (deployment.api_base(0), registered(deployment).await);
    let key = with(right.clone(), "CHAT_PUBLIC_KEY", &"0a".repeat(32));
    let (code, checks) = examined_with(deployment, &key, &[]).await;
    assert_eq!(code, 1);
    let real = &deployment.env.iter().find(|(name, _)| name == "GUILDHALL_CHAT_PUBLIC_KEY").unwrap().1;
    assert_says(failed(&checks, "public key"), &["GUILDHALL_CHAT_PUBLIC_KEY", "General Information", real]);
    assert!(checks.iter().all(|check| check["name"] != "interactions"), "the portal would refuse it");

    let elsewhere = "https://elsewhere.example.org/chat/interactions";
    deployment.simulator.set_interactions_endpoint(elsewhere).await;
    deployment.simulator.put_commands(json!([{ "name": "old", "description": "Of another version" }])).await;
    deployment.simulator.set_redirects(&[format!("{base}/link/callback/discord")]).await;
    let (code, checks) = examined_with(deployment, &right, &[]).await;
    assert_eq!(code, 1);
    let expected = format!("{base}/chat/interactions");
    assert_says(failed(&checks, "interactions"), &[elsewhere, &expected, "Interactions Endpoint URL"]);
    assert_says(failed(&checks, "commands"), &["guildhall chat register-commands"]);
    let redirects = failed(&checks, "redirects");
    assert_says(redirects, &[&format!("{base}/console/sign-in/callback"), "OAuth2"]);
    assert!(!redirects["cure"].as_str().unwrap().contains("/link/callback"), "{redirects}");
}

async fn doctor_says_which_way_commands_come(deployment: &Deployment) {
    let (base, right) = (deployment.api_base(0), registered(deployment).await);
    let entered = format!("{base}/chat/interactions");
    let (_, checks) = examined_with(deployment, &right, &[]).await;
    assert_eq!(detail(&checks, "interactions"), format!("commands come by HTTP, to {entered}"));

    let keyless = with(right.clone(), "CHAT_PUBLIC_KEY", "");
    let keyless = with(keyless, "CHAT_EVENTS", "on");
    let (code, checks) = examined_with(deployment, &keyless, &[]).await;
    assert_eq!(code, 1);
    let real = &deployment.env.iter().find(|(name, _)| name == "GUILDHALL_CHAT_PUBLIC_KEY").unwrap().1;
    let words = [&entered, "GUILDHALL_CHAT_PUBLIC_KEY is not set", "Interactions Endpoint URL", real];
    assert_says(failed(&checks, "interactions"), &words);
    assert!(checks.iter().all(|check| check["name"] != "commands"), "another program's: {checks:?}");

    deployment.simulator.set_interactions_endpoint("").await;
    let (_, checks) = examined_with(deployment, &keyless, &[]).await;
    assert!(detail(&checks, "interactions").starts_with("commands come by the event stream"), "{checks:?}");
    detail(&checks, "commands");
    let (code, checks) = examined_with(deployment, &right, &[]).await;
    assert_eq!(code, 1);
    let words = ["no interactions endpoint URL", &entered, "unset GUILDHALL_CHAT_PUBLIC_KEY"];
    assert_says(failed(&checks, "interactions"), &words);

    if deployment.mode() == Mode::Embedded {
        let (_, checks) = examined_with(deployment, &with(keyless, "CHAT_EVENTS", "off"), &[]).await;
        assert!(detail(&checks, "interactions").starts_with("off"), "{checks:?}");
        assert!(checks.iter().all(|check| check["name"] != "commands"), "{checks:?}");
    }
}

async fn sign_in_needs_its_address_and_ways_their_application(deployment: &Deployment) {
    let without: Variables =
        variables(deployment).into_iter().filter(|(name, _)| *name != "PUBLIC_URL").collect();
    let (_, checks) = examined_with(deployment, &without, &[]).await;
    assert_says(failed(&checks, "public url"), &["GUILDHALL_PUBLIC_URL", "nobody can sign in"]);
    let dependent = ["redirects", "link ways"];
    assert!(checks.iter().all(|check| !dependent.contains(&check["name"].as_str().unwrap())), "{checks:?}");

    let other = with(variables(deployment), "CHAT_CLIENT_ID", "77");
    let (_, checks) = examined_with(deployment, &other, &[]).await;
    assert!(detail(&checks, "redirects").contains("another application"), "{checks:?}");

    let no_game: Variables =
        variables(deployment).into_iter().filter(|(name, _)| !name.starts_with("PLAY_CLIENT")).collect();
    let guild = ["--guild", deployment.guild().id.as_str()];
    let (code, checks) = examined_with(deployment, &no_game, &guild).await;
    let ways = detail(&checks, "link ways");
    assert!(ways.contains("`sign_in` without GUILDHALL_PLAY_CLIENT_ID; other ways work"), "{code}: {ways}");
    assert!(!ways.contains("connection"), "{ways}");
    let settings = format!("/guilds/{}/settings", deployment.guild().id);
    let admin = deployment.api().key(&deployment.guild().admin_key);
    admin
        .send(reqwest::Method::PATCH, &settings, Some(json!({ "link_ways": ["code", "profile"] })))
        .await
        .ok();
    let (_, checks) = examined_with(deployment, super::NONE, &guild).await;
    detail(&checks, "link ways");
    admin.send(reqwest::Method::PATCH, &settings, Some(json!({ "link_ways": ["sign_in"] }))).await.ok();
    let (code, checks) = examined_with(deployment, &no_game, &guild).await;
    assert_eq!(code, 1);
    let ways = failed(&checks, "link ways");
    assert_eq!(ways["guild_id"], deployment.guild().id.as_str());
    assert_says(ways, &["`sign_in` without GUILDHALL_PLAY_CLIENT_ID", "link_ways", "docs/linking.md"]);
}

/// A platform whose clock is behind, and which leaves out what it may.
async fn a_platform_with_another_time_is_named(deployment: &Deployment) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| answer(&stream)));
    let args = ["--chat-api-url", url.as_str()];
    let (code, checks) = examined_with(deployment, &variables(deployment), &args).await;
    assert_eq!(code, 1);
    assert_says(failed(&checks, "chat clock"), &["the chat platform", " behind", "NTP"]);
    assert!(detail(&checks, "redirects").contains("could not be read"), "{checks:?}");
}

/// Serves one request, and closes.
fn answer(mut stream: &TcpStream) {
    let lines = BufReader::new(stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    let head: Vec<String> = lines.collect();
    let body =
        json!({ "id": APPLICATION, "username": "bot", "flags": 1 << 14, "verify_key": "" }).to_string();
    let known = head.first().is_some_and(|line| line.contains("/@me"));
    let status = if known { "200 OK" } else { "404 Not Found" };
    let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT";
    let length = body.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\n{date}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
}
