//! People who sign in with the game platform: our client, a browser, and the platform in between.

use std::sync::Arc;
use std::time::{Duration, Instant};

use entities::Timestamp;
use platforms::{Attempt, Begun, IdTokenError, PlatformError, Platforms, PlaySignIn, Player, SignInError};
use runtime::Secret;
use serde_json::{Value, json};
use simulator::{Application, RateLimit, SimulatorOptions};

use crate::peer::{Peer, config, group, play};
use crate::sign_in::{REDIRECT, decide, now};

pub(crate) const AUTHORIZE: &str = "POST /oauth/v1/authorize";
pub(crate) const TOKEN: &str = "POST /oauth/v1/token";
pub(crate) const REVOKE: &str = "POST /oauth/v1/token/revoke";
const USERINFO: &str = "GET /oauth/v1/userinfo";
pub(crate) const CERTS: &str = "GET /oauth/v1/certs";
/// The session that begins the attempts.
pub(crate) const OWNER: &str = "session 1";

pub(crate) type Outcome = Result<Player, SignInError>;

pub(crate) fn sign_in(peer: &Peer) -> Arc<PlaySignIn> {
    peer.platforms("off").play_sign_in.unwrap()
}

pub(crate) fn attempt(sign_in: &PlaySignIn) -> Attempt {
    sign_in.authorize_url(REDIRECT, OWNER, now())
}

pub(crate) fn begun(sign_in: &PlaySignIn, attempt: &Attempt) -> Begun {
    sign_in.begun(&attempt.state, &attempt.verifier, OWNER, now()).unwrap()
}

/// The code for which player `n` authorizes what the URL asks for.
pub(crate) async fn authorize(url: &str, n: i64) -> String {
    decide(url, &format!("user_id={}&decision=authorize", play(n))).await.remove("code").unwrap()
}

/// A whole sign-in of player 1, as of this time.
async fn signed_in_at(sign_in: &PlaySignIn, now: Timestamp) -> Outcome {
    let attempt = attempt(sign_in);
    let code = authorize(&attempt.url, 1).await;
    sign_in.finish(&code, &begun(sign_in, &attempt), REDIRECT, now).await
}

pub(crate) async fn signed_in(sign_in: &PlaySignIn) -> Outcome {
    signed_in_at(sign_in, now()).await
}

pub(crate) fn player(n: i64) -> Player {
    let created_at = Some("2015-01-01T00:00:00Z".parse().unwrap());
    Player { id: play(n), name: format!("p{n}"), created_at }
}

pub(crate) fn refused(error: IdTokenError) -> Outcome {
    Err(error.into())
}

pub(crate) async fn flaw(peer: &Peer, route: &str, flaw: &str) {
    peer.fault(json!({ "route": route, "flaw": flaw })).await;
}

#[tokio::test]
async fn a_player_signs_in_and_the_tokens_are_ended() {
    let peer = Peer::start(3, RateLimit::Discord).await;
    let created_at = "2021-02-03T04:05:06Z";
    peer.post("/control/profiles", json!({ "play_id": play(1), "created_at": created_at })).await;
    let sign_in = sign_in(&peer);
    let born = Player { created_at: Some(created_at.parse().unwrap()), ..player(1) };
    for _ in 0..3 {
        assert_eq!(signed_in(&sign_in).await.as_ref(), Ok(&born));
    }
    let stats = peer.stats().await;
    let counted = [TOKEN, REVOKE, CERTS].map(|route| stats["requests"][route]["200"].clone());
    assert_eq!(counted, [3, 3, 1], "{stats}");
    assert_eq!(stats["requests"][USERINFO], Value::Null);
    assert_eq!((&stats["play_requests"], &stats["invalid"]), (&json!(0), &json!(0)));
}

#[tokio::test]
async fn a_token_without_name_and_age_sends_us_to_ask() {
    let peer = Peer::start(3, RateLimit::Off).await;
    let sign_in = sign_in(&peer);
    flaw(&peer, TOKEN, "bare_id_token").await;
    assert_eq!(signed_in(&sign_in).await, Ok(player(1)));
    assert_eq!(peer.stats().await["requests"][USERINFO]["200"], 1);
    flaw(&peer, TOKEN, "bare_id_token").await;
    flaw(&peer, USERINFO, "wrong_subject").await;
    assert_eq!(signed_in(&sign_in).await, refused(IdTokenError::Subject));
}

#[tokio::test]
async fn a_token_expires() {
    let peer = Peer::start(3, RateLimit::Off).await;
    let sign_in = sign_in(&peer);
    let after = |seconds| now() + Duration::from_secs(seconds);
    assert_eq!(signed_in_at(&sign_in, after(14 * 60)).await, Ok(player(1)));
    assert_eq!(signed_in_at(&sign_in, after(17 * 60)).await, refused(IdTokenError::Expired));
}

#[tokio::test]
async fn new_keys_are_found_and_withdrawn_ones_forgotten() {
    let peer = Peer::start(3, RateLimit::Off).await;
    let sign_in = sign_in(&peer);
    let certs = async || peer.stats().await["requests"][CERTS]["200"].clone();
    let rotate = async |withdraw| peer.post("/control/keys", json!({ "withdraw": withdraw })).await;
    let begin = now();
    let at = async |seconds| signed_in_at(&sign_in, begin + Duration::from_secs(seconds)).await;
    assert_eq!(at(0).await, Ok(player(1)));
    rotate(false).await;
    // The keys were read less than a minute ago.
    assert_eq!(at(59).await, refused(IdTokenError::UnknownKey));
    assert_eq!(certs().await, 1);
    assert_eq!(at(60).await, Ok(player(1)));
    assert_eq!(at(61).await, Ok(player(1)));
    assert_eq!(certs().await, 2);
    rotate(true).await;
    assert_eq!(at(120).await, Ok(player(1)));
    assert_eq!(certs().await, 3);
    // Another process knows the new key only.
    assert_eq!(signed_in(&self::sign_in(&peer)).await, Ok(player(1)));
}

#[tokio::test]
async fn a_person_who_cancels_comes_back_with_an_error() {
    let peer = Peer::start(3, RateLimit::Off).await;
    let sign_in = sign_in(&peer);
    let back = decide(&attempt(&sign_in).url, "decision=cancel").await;
    assert_eq!(SignInError::of_play_callback(&back["error"]), SignInError::Denied);
    flaw(&peer, AUTHORIZE, "denied").await;
    let form = format!("user_id={}&decision=authorize", play(1));
    let back = decide(&attempt(&sign_in).url, &form).await;
    assert_eq!(SignInError::of_play_callback(&back["error"]), SignInError::Denied);
}

#[tokio::test]
async fn codes_live_as_long_as_the_application_says() {
    let application = Application::new(Application::PLAY_DEMO_ID, Application::PLAY_DEMO_SECRET);
    assert_eq!(application.code_life, Duration::from_mins(1));
    let play_application = Application { code_life: Duration::ZERO, ..application };
    let options =
        SimulatorOptions { play_application, rate_limit: RateLimit::Off, ..SimulatorOptions::default() };
    let peer = Peer::with(3, options).await;
    assert_eq!(signed_in(&sign_in(&peer)).await, Err(SignInError::CodeRefused));
}

#[tokio::test]
async fn a_platform_that_is_away_or_busy_is_told_apart_from_a_refusal() {
    let peer = Peer::start(3, RateLimit::Off).await;
    // Each time another process, which knows no keys and no pause.
    for route in [TOKEN, CERTS, USERINFO] {
        if route == USERINFO {
            flaw(&peer, TOKEN, "bare_id_token").await;
        }
        peer.fault(json!({ "route": route, "status": 503 })).await;
        let cause = "it answered 503".to_owned();
        assert_eq!(signed_in(&sign_in(&peer)).await, Err(PlatformError::Unavailable { route, cause }.into()));
    }
    peer.fault(json!({ "route": TOKEN, "status": 429, "retry_after": 2 })).await;
    let retry_after = Duration::from_secs(2);
    assert_eq!(signed_in(&sign_in(&peer)).await, Err(PlatformError::RateLimited { retry_after }.into()));
    let mut nowhere = config("http://127.0.0.1:1", "off");
    nowhere.chat_client_id = None;
    let nowhere = Platforms::new(&nowhere, None).unwrap().play_sign_in.unwrap();
    let begun = begun(&nowhere, &attempt(&nowhere));
    let unreachable = nowhere.finish("c", &begun, REDIRECT, now()).await.unwrap_err().to_string();
    assert!(unreachable.contains("no connection"), "{unreachable}");
}

#[tokio::test]
async fn a_slow_platform_is_waited_for_but_not_for_the_end_of_its_tokens() {
    let peer = Peer::start(3, RateLimit::Off).await;
    let sign_in = sign_in(&peer);
    for route in [TOKEN, CERTS, REVOKE] {
        peer.fault(json!({ "route": route, "hang_ms": 300 })).await;
    }
    let started = Instant::now();
    assert_eq!(signed_in(&sign_in).await, Ok(player(1)));
    assert!(started.elapsed() >= Duration::from_millis(900), "{:?}", started.elapsed());
    peer.fault(json!({ "route": REVOKE, "hang_ms": 60_000 })).await;
    let started = Instant::now();
    assert_eq!(signed_in(&sign_in).await, Ok(player(1)));
    assert!(started.elapsed() < Duration::from_secs(9), "{:?}", started.elapsed());
    peer.fault(json!({ "route": REVOKE, "status": 500 })).await;
    assert_eq!(signed_in(&sign_in).await, Ok(player(1)));
}

#[tokio::test]
async fn a_pause_of_sign_ins_pauses_no_call_with_the_key() {
    let peer = Peer::start(3, RateLimit::Off).await;
    let platforms = peer.platforms("off");
    let sign_in = platforms.play_sign_in.unwrap();
    peer.fault(json!({ "route": TOKEN, "status": 429, "retry_after": 60 })).await;
    for _ in 0..3 {
        let outcome = signed_in(&sign_in).await;
        let is_paused = matches!(&outcome, Err(SignInError::Platform(PlatformError::RateLimited { retry_after }))
                                 if retry_after.as_secs() >= 59);
        assert!(is_paused, "{outcome:?}");
    }
    assert_eq!(peer.stats().await["requests"][TOKEN], json!({ "429": 1 }));
    platforms.play.group_roles(crate::peer::now(), group()).await.unwrap();
}

#[tokio::test]
async fn a_wrong_secret_is_named_by_its_variable() {
    let peer = Peer::start(3, RateLimit::Off).await;
    let mut wrong = config(&peer.url, "off");
    wrong.play_client_secret = Some(Secret::from("other"));
    let sign_in = Platforms::new(&wrong, None).unwrap().play_sign_in.unwrap();
    let error = PlatformError::Unauthorized("GUILDHALL_PLAY_CLIENT_SECRET");
    assert_eq!(signed_in(&sign_in).await, Err(error.into()));
}

#[tokio::test]
async fn without_an_application_there_is_no_sign_in() {
    let mut bare = config("http://127.0.0.1:1", "off");
    (bare.play_client_id, bare.play_client_secret) = (None, None);
    let platforms = Platforms::new(&bare, None).unwrap();
    assert!(platforms.play_sign_in.is_none() && platforms.sign_in.is_some());
}
