//! People who sign in with the game platform: our client, a browser, the platform, and somebody who poses as one of
//! them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use entities::Timestamp;
use platforms::{Attempt, Begun, IdTokenError, PlatformError, Platforms, PlaySignIn, Player, SignInError};
use reqwest::Url;
use runtime::Secret;
use serde_json::{Value, json};
use simulator::{Application, RateLimit, SimulatorOptions};

use crate::peer::{Peer, config, group, play};
use crate::sign_in::{REDIRECT, decide, now};

const AUTHORIZE: &str = "POST /oauth/v1/authorize";
const TOKEN: &str = "POST /oauth/v1/token";
const REVOKE: &str = "POST /oauth/v1/token/revoke";
const USERINFO: &str = "GET /oauth/v1/userinfo";
const CERTS: &str = "GET /oauth/v1/certs";
/// The session that begins the attempts.
const OWNER: &str = "session 1";

type Outcome = Result<Player, SignInError>;

fn sign_in(peer: &Peer) -> Arc<PlaySignIn> {
    peer.platforms("off").play_sign_in.unwrap()
}

fn attempt(sign_in: &PlaySignIn) -> Attempt {
    sign_in.authorize_url(REDIRECT, OWNER, now())
}

fn begun(sign_in: &PlaySignIn, attempt: &Attempt) -> Begun {
    sign_in.begun(&attempt.state, &attempt.verifier, OWNER, now()).unwrap()
}

/// The code for which player `n` authorizes what the URL asks for.
async fn authorize(url: &str, n: i64) -> String {
    decide(url, &format!("user_id={}&decision=authorize", play(n))).await.remove("code").unwrap()
}

/// A whole sign-in of player 1, as of this time.
async fn signed_in_at(sign_in: &PlaySignIn, now: Timestamp) -> Outcome {
    let attempt = attempt(sign_in);
    let code = authorize(&attempt.url, 1).await;
    sign_in.finish(&code, &begun(sign_in, &attempt), REDIRECT, now).await
}

async fn signed_in(sign_in: &PlaySignIn) -> Outcome {
    signed_in_at(sign_in, now()).await
}

fn player(n: i64) -> Player {
    let created_at = Some("2015-01-01T00:00:00Z".parse().unwrap());
    Player { id: play(n), name: format!("p{n}"), created_at }
}

fn refused(error: IdTokenError) -> Outcome {
    Err(error.into())
}

async fn flaw(peer: &Peer, route: &str, flaw: &str) {
    peer.fault(json!({ "route": route, "flaw": flaw })).await;
}

/// The URL without these parameters.
fn stripped(url: &str, names: &[&str]) -> String {
    let mut url: Url = url.parse().unwrap();
    let kept: Vec<(String, String)> =
        url.query_pairs().into_owned().filter(|(name, _)| !names.contains(&name.as_str())).collect();
    url.query_pairs_mut().clear().extend_pairs(kept);
    url.into()
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
async fn each_token_that_proves_nothing_is_refused() {
    let peer = Peer::start(3, RateLimit::Off).await;
    let sign_in = sign_in(&peer);
    // Its keys are known when the first forgery comes, and also when not.
    for sign_in in [&sign_in, &sign_in, &self::sign_in(&peer)] {
        for (name, error) in [
            ("wrong_nonce", IdTokenError::Nonce),
            ("wrong_issuer", IdTokenError::Issuer),
            ("wrong_audience", IdTokenError::Audience),
            ("expired_token", IdTokenError::Expired),
            ("unknown_key", IdTokenError::UnknownKey),
            ("wrong_signature", IdTokenError::Signature),
            ("unsigned", IdTokenError::Algorithm),
            ("hs256", IdTokenError::Algorithm),
            ("no_id_token", IdTokenError::Missing),
        ] {
            flaw(&peer, TOKEN, name).await;
            assert_eq!(signed_in(sign_in).await, refused(error), "{name}");
        }
        assert_eq!(signed_in(sign_in).await, Ok(player(1)));
    }
    let stats = peer.stats().await;
    // Tokens are ended after a refusal too, and forged key ids do not have the keys read again and again.
    let counted = [TOKEN, REVOKE, CERTS].map(|route| stats["requests"][route]["200"].clone());
    assert_eq!(counted, [30, 30, 2], "{stats}");
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
async fn a_state_belongs_to_its_attempt_its_owner_and_its_platform() {
    let peer = Peer::start(3, RateLimit::Off).await;
    let platforms = peer.platforms("off");
    let (sign_in, chat) = (platforms.play_sign_in.unwrap(), platforms.sign_in.unwrap());
    let (one, two) = (attempt(&sign_in), attempt(&sign_in));
    flaw(&peer, AUTHORIZE, "wrong_state").await;
    let form = format!("user_id={}&decision=authorize", play(1));
    let back = decide(&one.url, &form).await;
    let is_begun = |state: &str, verifier: &str, owner: &str, seconds| {
        let then = now() + Duration::from_secs(seconds);
        sign_in.begun(state, verifier, owner, then).is_some()
    };
    assert!(!is_begun(&back["state"], &one.verifier, OWNER, 0));
    assert!(is_begun(&one.state, &one.verifier, OWNER, 0));
    for (state, verifier, owner) in [
        (&one.state, &two.verifier, OWNER),
        (&two.state, &one.verifier, OWNER),
        (&one.state, &one.verifier, "session 2"),
        (&one.state, &one.verifier, ""),
        (&one.state, &String::new(), OWNER),
        (&String::new(), &one.verifier, OWNER),
    ] {
        assert!(!is_begun(state, verifier, owner, 0), "{owner}");
    }
    assert!(!is_begun(&one.state, &one.verifier, OWNER, 601));
    let of_chat = chat.authorize_url(REDIRECT, now());
    assert!(!is_begun(&of_chat.state, &of_chat.verifier, "", 0));
    let ownerless = sign_in.authorize_url(REDIRECT, "", now());
    assert!(chat.begun(&ownerless.state, &ownerless.verifier, now()).is_none());
}

#[tokio::test]
async fn a_code_is_good_for_one_exchange_of_its_own_attempt() {
    let peer = Peer::start(3, RateLimit::Off).await;
    let sign_in = sign_in(&peer);
    let (one, two) = (attempt(&sign_in), attempt(&sign_in));
    let finish = async |code: &str, attempt: &Attempt| {
        sign_in.finish(code, &begun(&sign_in, attempt), REDIRECT, now()).await
    };
    let code = authorize(&one.url, 1).await;
    assert_eq!(finish(&code, &one).await, Ok(player(1)));
    assert_eq!(finish(&code, &one).await, Err(SignInError::CodeRefused));
    // Swapped between two attempts of one browser.
    assert_eq!(finish(&authorize(&one.url, 1).await, &two).await, Err(SignInError::CodeRefused));
    flaw(&peer, AUTHORIZE, "expired_code").await;
    assert_eq!(finish(&authorize(&one.url, 1).await, &one).await, Err(SignInError::CodeRefused));
    assert_eq!(finish("unknown", &one).await, Err(SignInError::CodeRefused));
    let code = authorize(&one.url, 1).await;
    let elsewhere = sign_in.finish(&code, &begun(&sign_in, &one), "http://127.0.0.1:8080/", now()).await;
    assert!(matches!(elsewhere, Err(SignInError::Platform(PlatformError::Invalid { .. }))), "{elsewhere:?}");
}

#[tokio::test]
async fn a_code_of_a_changed_request_binds_nobody() {
    let peer = Peer::start(3, RateLimit::Off).await;
    let sign_in = sign_in(&peer);
    let (victim, attacker) = (attempt(&sign_in), attempt(&sign_in));
    let pkce = ["code_challenge", "code_challenge_method"];
    let all = ["code_challenge", "code_challenge_method", "nonce"];
    // The attacker strips PKCE from the own attempt and has the victim finish it: the nonce is in the way.
    for names in [&pkce[..], &all] {
        let code = authorize(&stripped(&attacker.url, names), 2).await;
        let finished = sign_in.finish(&code, &begun(&sign_in, &victim), REDIRECT, now()).await;
        assert_eq!(finished, refused(IdTokenError::Nonce), "{names:?}");
    }
    // A person can ask the platform for less.
    let with_scope = |scope: &str| stripped(&victim.url, &["scope"]) + "&scope=" + scope;
    for (scope, error) in [("profile", IdTokenError::Missing.into()), ("openid", SignInError::Unauthorized)] {
        let code = authorize(&with_scope(scope), 2).await;
        let finished = sign_in.finish(&code, &begun(&sign_in, &victim), REDIRECT, now()).await;
        assert_eq!(finished, Err(error), "{scope}");
    }
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
