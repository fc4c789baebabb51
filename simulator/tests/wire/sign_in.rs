//! People who sign in: our client, a browser, and the platform in between.

use std::collections::HashMap;
use std::time::Duration;

use entities::Timestamp;
use platforms::{
    Attempt, Begun, CallContext, ChatUser, Person, PlatformError, Platforms, SignIn, SignInError,
};
use reqwest::{Client, Url, redirect};
use runtime::{Clock, Secret};
use serde_json::{Value, json};
use simulator::{Application, RateLimit, SimulatorOptions};

use crate::peer::{ADMIN_ROLE, GUILD, MEMBER_ROLE, Peer, chat, config, guild};

pub(crate) const REDIRECT: &str = "http://127.0.0.1:8080/console/sign-in/callback";
const TOKEN: &str = "POST /oauth2/token";
const USER: &str = "GET /users/@me";
const GUILDS: &str = "GET /users/@me/guilds";
const AUTHORIZATION: &str = "GET /oauth2/@me";

/// A browser that does not follow redirects.
pub(crate) fn browser() -> Client {
    Client::builder().no_proxy().redirect(redirect::Policy::none()).build().unwrap()
}

/// The query that a browser is sent back with after this decision at `url`.
pub(crate) async fn decide(url: &str, decision: &str) -> HashMap<String, String> {
    let form = browser().post(url).header("content-type", "application/x-www-form-urlencoded");
    let answer = form.body(decision.to_owned()).send().await.unwrap();
    assert_eq!(answer.status(), 302);
    let back: Url = answer.headers()["location"].to_str().unwrap().parse().unwrap();
    assert!(back.as_str().starts_with(REDIRECT), "{back}");
    back.query_pairs().into_owned().collect()
}

pub(crate) fn now() -> Timestamp {
    Clock::system().now()
}

pub(crate) fn begun(sign_in: &SignIn, attempt: &Attempt) -> Begun {
    sign_in.begun(&attempt.state, &attempt.verifier, now()).unwrap()
}

/// Authorizes as member `n`.
pub(crate) async fn authorize(attempt: &Attempt, n: i64) -> String {
    let mut back = decide(&attempt.url, &format!("user_id={}&decision=authorize", chat(n))).await;
    assert_eq!(back.get("state"), Some(&attempt.state));
    back.remove("code").unwrap()
}

/// An access token that member `n` gave to another dashboard.
pub(crate) async fn token(peer: &Peer, n: i64, scope: &str) -> String {
    let url = format!(
        "{}/oauth2/authorize?response_type=code&client_id={}&scope={scope}&redirect_uri={REDIRECT}",
        peer.url,
        Application::DEMO_ID
    );
    let back = decide(&url, &format!("user_id={}&decision=authorize", chat(n))).await;
    let form = format!("grant_type=authorization_code&code={}&redirect_uri={REDIRECT}", back["code"]);
    let request = peer.http.post(format!("{}/api/oauth2/token", peer.url));
    let request = request.basic_auth(Application::DEMO_ID, Some(Application::DEMO_SECRET)).body(form);
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let answer: Value = request.send().await.unwrap().json().await.unwrap();
    answer["access_token"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

pub(crate) fn sign_in(peer: &Peer) -> std::sync::Arc<SignIn> {
    peer.platforms("off").sign_in.unwrap()
}

/// The client of another application, or one with another secret.
fn sign_in_as(peer: &Peer, id: &str, secret: &str) -> std::sync::Arc<SignIn> {
    let mut config = config(&peer.url, "off");
    (config.chat_client_id, config.chat_client_secret) = (Some(id.to_owned()), Some(Secret::from(secret)));
    Platforms::new(&config, None).unwrap().sign_in.unwrap()
}

pub(crate) fn person(n: i64) -> ChatUser {
    ChatUser { id: chat(n), name: format!("user{}", chat(n)) }
}

#[tokio::test]
async fn a_person_signs_in_and_tokens_elsewhere_stay() {
    let peer = Peer::start(3, RateLimit::Discord).await;
    let sign_in = sign_in(&peer);
    let attempt = sign_in.authorize_url(REDIRECT, now());
    assert!(attempt.url.starts_with(&format!("{}/oauth2/authorize?", peer.url)), "{}", attempt.url);
    let code = authorize(&attempt, 2).await;
    assert_eq!(
        sign_in.finish(&code, &begun(&sign_in, &attempt), REDIRECT).await,
        Ok(Person { user: person(2), manages: vec![] })
    );
    let stats = peer.stats().await;
    for route in [TOKEN, USER, GUILDS] {
        assert_eq!(stats["requests"][route]["200"], 1, "{route}: {stats}");
    }
    assert_eq!((&stats["chat_requests"], &stats["invalid"]), (&json!(0), &json!(0)));
}

#[tokio::test]
async fn owner_and_managers_bring_the_guilds_that_they_manage() {
    let peer = Peer::start(3, RateLimit::Off).await;
    let sign_in = sign_in(&peer);
    let role = |n: i64, role: i64| json!({ "guild_id": GUILD.to_string(), "chat_id": chat(n), "roles": [role.to_string()] });
    peer.post("/control/members", role(1, ADMIN_ROLE)).await;
    peer.post("/control/members", role(2, MEMBER_ROLE)).await;
    for (n, manages) in [(0, vec![guild()]), (1, vec![guild()]), (2, vec![])] {
        let attempt = sign_in.authorize_url(REDIRECT, now());
        let code = authorize(&attempt, n).await;
        let person = sign_in.finish(&code, &begun(&sign_in, &attempt), REDIRECT).await;
        assert_eq!(person, Ok(Person { user: self::person(n), manages }), "{n}");
    }
}

#[tokio::test]
async fn below_a_path_the_page_is_still_at_the_root_of_the_host() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let below = Platforms::new(&config(&format!("{}/api/v10/", peer.url), "off"), None).unwrap();
    let sign_in = below.sign_in.unwrap();
    let attempt = sign_in.authorize_url(REDIRECT, now());
    assert!(attempt.url.starts_with(&format!("{}/oauth2/authorize?", peer.url)), "{}", attempt.url);
    let code = authorize(&attempt, 0).await;
    assert_eq!(sign_in.finish(&code, &begun(&sign_in, &attempt), REDIRECT).await.unwrap().user, person(0));
}

#[tokio::test]
async fn a_person_who_cancels_comes_back_with_an_error() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let attempt = sign_in(&peer).authorize_url(REDIRECT, now());
    let back = decide(&attempt.url, "decision=cancel").await;
    assert_eq!((back.get("state"), back.get("code")), (Some(&attempt.state), None));
    assert_eq!(SignInError::of_callback(&back["error"]), SignInError::Denied);
}

#[tokio::test]
async fn a_code_is_good_for_one_exchange_of_its_own_attempt() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let sign_in = sign_in(&peer);
    let [attempt, other] = [sign_in.authorize_url(REDIRECT, now()), sign_in.authorize_url(REDIRECT, now())];
    let refused = Err(SignInError::CodeRefused);
    let code = authorize(&attempt, 0).await;
    sign_in.finish(&code, &begun(&sign_in, &attempt), REDIRECT).await.unwrap();
    assert_eq!(sign_in.finish(&code, &begun(&sign_in, &attempt), REDIRECT).await, refused);
    let code = authorize(&attempt, 0).await;
    assert_eq!(sign_in.finish(&code, &begun(&sign_in, &other), REDIRECT).await, refused);
    for code in ["", "unknown", "a&code=b"] {
        let result = sign_in.finish(code, &begun(&sign_in, &attempt), REDIRECT).await;
        let refused = matches!(
            result,
            Err(SignInError::CodeRefused | SignInError::Platform(PlatformError::Invalid { .. }))
        );
        assert!(refused, "{code}: {result:?}");
    }
    let code = authorize(&attempt, 0).await;
    let elsewhere = sign_in.finish(&code, &begun(&sign_in, &attempt), "http://127.0.0.1:8080/").await;
    assert!(matches!(elsewhere, Err(SignInError::Platform(PlatformError::Invalid { .. }))), "{elsewhere:?}");
}

#[tokio::test]
async fn a_code_expires() {
    let application = Application::new(Application::DEMO_ID, Application::DEMO_SECRET);
    let application = Application { code_life: Duration::ZERO, ..application };
    let options = SimulatorOptions { application, rate_limit: RateLimit::Off, ..SimulatorOptions::default() };
    let peer = Peer::with(1, options).await;
    let sign_in = sign_in(&peer);
    let attempt = sign_in.authorize_url(REDIRECT, now());
    let code = authorize(&attempt, 0).await;
    assert_eq!(
        sign_in.finish(&code, &begun(&sign_in, &attempt), REDIRECT).await,
        Err(SignInError::CodeRefused)
    );
}

#[tokio::test]
async fn a_wrong_secret_is_named_by_its_variable() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let attempt = sign_in(&peer).authorize_url(REDIRECT, now());
    let code = authorize(&attempt, 0).await;
    let wrong = PlatformError::Unauthorized("GUILDHALL_CHAT_CLIENT_SECRET");
    for (id, secret) in [(Application::DEMO_ID, "other"), ("other", Application::DEMO_SECRET)] {
        let sign_in = sign_in_as(&peer, id, secret);
        let own = sign_in.authorize_url(REDIRECT, now());
        let result = sign_in.finish(&code, &begun(&sign_in, &own), REDIRECT).await;
        assert_eq!(result, Err(SignInError::Platform(wrong.clone())));
    }
}

#[tokio::test]
async fn only_tokens_for_our_application_name_a_person() {
    let peer = Peer::start(3, RateLimit::Off).await;
    let sign_in = sign_in(&peer);
    let given = token(&peer, 1, "identify%20guilds").await;
    assert_eq!(sign_in.user_of(&given).await, Ok(person(1)));
    let foreign = sign_in_as(&peer, "7000", "s");
    assert_eq!(foreign.user_of(&given).await, Err(SignInError::Unauthorized));
    let nameless = token(&peer, 2, "guilds").await;
    assert_eq!(sign_in.user_of(&nameless).await, Err(SignInError::Unauthorized));
    assert_eq!(sign_in.user_of("unknown").await, Err(SignInError::Unauthorized));
    let asked = peer.stats().await["requests"][AUTHORIZATION].clone();
    for malformed in ["", "a b", "a\r\nx: y", "é", &"a".repeat(513)] {
        assert_eq!(sign_in.user_of(malformed).await, Err(SignInError::Unauthorized), "{malformed}");
    }
    assert_eq!(peer.stats().await["requests"][AUTHORIZATION], asked, "malformed tokens are not sent");
}

#[tokio::test]
async fn a_sign_in_leaves_tokens_of_other_dashboards_valid() {
    let peer = Peer::start(2, RateLimit::Off).await;
    let sign_in = sign_in(&peer);
    let given = token(&peer, 0, "identify").await;
    let attempt = sign_in.authorize_url(REDIRECT, now());
    let code = authorize(&attempt, 0).await;
    sign_in.finish(&code, &begun(&sign_in, &attempt), REDIRECT).await.unwrap();
    assert_eq!(sign_in.user_of(&given).await, Ok(person(0)));
}

#[tokio::test]
async fn a_platform_that_is_away_or_busy_is_told_apart_from_a_refusal() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let given = token(&peer, 0, "identify").await;
    // Each time another process, because a process observes the pause that it was asked for.
    let finish = async || {
        let sign_in = sign_in(&peer);
        let attempt = sign_in.authorize_url(REDIRECT, now());
        let code = authorize(&attempt, 0).await;
        sign_in.finish(&code, &begun(&sign_in, &attempt), REDIRECT).await
    };
    for route in [TOKEN, USER, GUILDS] {
        peer.fault(json!({ "route": route, "status": 500 })).await;
        let cause = "it answered 500".to_owned();
        assert_eq!(finish().await, Err(PlatformError::Unavailable { route, cause }.into()));
        peer.fault(json!({ "route": route, "status": 429, "retry_after": 2.5 })).await;
        let retry_after = Duration::from_secs(3);
        assert_eq!(finish().await, Err(PlatformError::RateLimited { retry_after }.into()), "{route}");
    }
    let sign_in = sign_in(&peer);
    for status in [500, 503] {
        peer.fault(json!({ "route": AUTHORIZATION, "status": status })).await;
        let away = sign_in.user_of(&given).await;
        assert!(matches!(&away, Err(SignInError::Platform(error)) if error.is_retryable()), "{away:?}");
    }
    let mut nowhere = config("http://127.0.0.1:1", "off");
    nowhere.chat_token = None;
    let nowhere = Platforms::new(&nowhere, None).unwrap().sign_in.unwrap();
    let attempt = nowhere.authorize_url(REDIRECT, now());
    let unreachable =
        nowhere.finish("c", &begun(&nowhere, &attempt), REDIRECT).await.unwrap_err().to_string();
    assert!(unreachable.contains("no connection"), "{unreachable}");
}

#[tokio::test]
async fn a_pause_that_the_platform_asks_for_is_kept_and_pauses_no_call_of_the_bot() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let platforms = peer.platforms("off");
    let sign_in = platforms.sign_in.unwrap();
    let finish = async || {
        let attempt = sign_in.authorize_url(REDIRECT, now());
        let code = authorize(&attempt, 0).await;
        sign_in.finish(&code, &begun(&sign_in, &attempt), REDIRECT).await
    };
    peer.fault(json!({ "route": TOKEN, "status": 429, "retry_after": 60 })).await;
    for _ in 0..5 {
        let refused = finish().await;
        let paused = matches!(&refused, Err(SignInError::Platform(PlatformError::RateLimited { retry_after }))
                              if retry_after.as_secs() >= 59);
        assert!(paused, "{refused:?}");
    }
    let stats = peer.stats().await;
    assert_eq!(stats["requests"][TOKEN], json!({ "429": 1 }), "{stats}");
    platforms.chat.guild_roles(CallContext::interactive(guild())).await.unwrap();
}

#[tokio::test]
async fn without_an_application_there_is_no_sign_in() {
    let mut bare = config("http://127.0.0.1:1", "off");
    (bare.chat_client_id, bare.chat_client_secret) = (None, None);
    assert!(Platforms::new(&bare, None).unwrap().sign_in.is_none());
}
