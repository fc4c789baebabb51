//! The exact answers of OpenID Connect with the game platform, as other clients of it read them.

use std::collections::HashMap;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use reqwest::Url;
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::{Value, json};
use simulator::{Application, RateLimit};

use crate::peer::{Peer, play};
use crate::sign_in::{REDIRECT, browser, decide};

/// RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

fn url(peer: &Peer, scope: &str) -> String {
    let pairs = [
        ("response_type", "code"),
        ("client_id", Application::PLAY_DEMO_ID),
        ("scope", scope),
        ("state", "s"),
        ("nonce", "n 1"),
        ("redirect_uri", REDIRECT),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
    ];
    Url::parse_with_params(&format!("{}/oauth/v1/authorize", peer.url), pairs).unwrap().into()
}

async fn code(peer: &Peer, scope: &str) -> String {
    let form = format!("user_id={}&decision=authorize", play(1));
    decide(&url(peer, scope), &form).await.remove("code").unwrap()
}

async fn post(peer: &Peer, path: &str, form: &[(&str, &str)], secret: &str) -> (u16, String) {
    let request = peer.http.post(format!("{}/oauth/v1/{path}", peer.url));
    let body = Url::parse_with_params("http://h", form).unwrap().query().unwrap().to_owned();
    let request = request.basic_auth(Application::PLAY_DEMO_ID, Some(secret)).body(body);
    let answer = request.header("content-type", "application/x-www-form-urlencoded").send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

async fn exchange(peer: &Peer, code: &str, verifier: &str) -> (u16, Value) {
    let form = [
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", REDIRECT),
        ("code_verifier", verifier),
    ];
    let (status, body) = post(peer, "token", &form, Application::PLAY_DEMO_SECRET).await;
    (status, serde_json::from_str(&body).unwrap())
}

async fn tokens(peer: &Peer, scope: &str) -> Value {
    let (status, tokens) = exchange(peer, &code(peer, scope).await, VERIFIER).await;
    assert_eq!(status, 200, "{tokens}");
    tokens
}

async fn get(peer: &Peer, path: &str, bearer: &str) -> (u16, Value) {
    let request = peer.http.get(format!("{}{path}", peer.url)).bearer_auth(bearer);
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

fn decoded(part: &str) -> Vec<u8> {
    BASE64_URL_SAFE_NO_PAD.decode(part).unwrap()
}

/// Header and claims of a token whose signature fits one of these keys.
fn verified(token: &str, keys: &Value) -> Option<(Value, Value)> {
    let parts: Vec<&str> = token.split('.').collect();
    let header: Value = serde_json::from_slice(&decoded(parts[0])).unwrap();
    let key = keys["keys"].as_array().unwrap().iter().find(|key| key["kid"] == header["kid"])?;
    let coordinate = |name: &str| decoded(key[name].as_str().unwrap());
    let point = [vec![4], coordinate("x"), coordinate("y")].concat();
    let signed = format!("{}.{}", parts[0], parts[1]);
    let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
    key.verify(signed.as_bytes(), &decoded(parts[2])).ok()?;
    Some((header, serde_json::from_slice(&decoded(parts[1])).unwrap()))
}

async fn keys(peer: &Peer) -> Value {
    get(peer, "/oauth/v1/certs", "").await.1
}

#[tokio::test]
async fn an_id_token_names_the_person_and_its_signature_fits_a_published_key() {
    let peer = Peer::start(3, RateLimit::Off).await;
    let tokens = tokens(&peer, "openid profile").await;
    assert_eq!((&tokens["token_type"], &tokens["expires_in"]), (&json!("Bearer"), &json!(900)));
    let keys = keys(&peer).await;
    let shown = ["kty", "crv", "use", "alg"].map(|name| keys["keys"][0][name].as_str().unwrap());
    assert_eq!(shown, ["EC", "P-256", "sig", "ES256"]);
    let (header, claims) = verified(tokens["id_token"].as_str().unwrap(), &keys).unwrap();
    assert_eq!((&header["alg"], &header["typ"]), (&json!("ES256"), &json!("JWT")));
    let issuer = format!("{}/oauth/", peer.url);
    for (claim, value) in [
        ("iss", json!(issuer)),
        ("aud", json!(Application::PLAY_DEMO_ID)),
        ("sub", json!(play(1).to_string())),
        ("nonce", json!("n 1")),
        ("preferred_username", json!("p1")),
        ("created_at", json!(1_420_070_400)),
    ] {
        assert_eq!(claims[claim], value, "{claim}: {claims}");
    }
    assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 900);
    let (_, document) = get(&peer, "/oauth/.well-known/openid-configuration", "").await;
    assert_eq!(
        (&document["issuer"], &document["jwks_uri"]),
        (&json!(issuer), &json!(format!("{issuer}v1/certs")))
    );
    assert_eq!(peer.stats().await["play_requests"], 0);
}

#[tokio::test]
async fn scopes_decide_what_is_shown() {
    let peer = Peer::start(2, RateLimit::Off).await;
    let profile = json!({ "sub": play(1).to_string(), "name": "p1", "nickname": "p1", "preferred_username": "p1",
        "created_at": 1_420_070_400, "picture": null,
        "profile": format!("https://www.roblox.com/users/{}/profile", play(1)) });
    let bare = json!({ "sub": play(1).to_string() });
    for (scope, shown, has_id_token) in
        [("openid profile", &profile, true), ("openid", &bare, true), ("profile", &profile, false)]
    {
        let tokens = tokens(&peer, scope).await;
        assert_eq!(tokens["id_token"].is_string(), has_id_token, "{scope}");
        let (status, user) = get(&peer, "/oauth/v1/userinfo", tokens["access_token"].as_str().unwrap()).await;
        assert_eq!((status, &user), (200, shown), "{scope}");
    }
    assert_eq!(get(&peer, "/oauth/v1/userinfo", "unknown").await.0, 401);
    let back = decide(&url(&peer, "openid email"), "decision=authorize").await;
    assert_eq!(back["error"], "invalid_scope");
}

#[tokio::test]
async fn keys_rotate() {
    let peer = Peer::start(2, RateLimit::Off).await;
    let token = async || tokens(&peer, "openid").await["id_token"].as_str().unwrap().to_owned();
    let first = token().await;
    assert_eq!(peer.post("/control/keys", json!({})).await.0, 204);
    let second = token().await;
    let both = keys(&peer).await;
    let id = |token: &str| verified(token, &both).unwrap().0["kid"].clone();
    assert_ne!(id(&first), id(&second));
    assert_eq!(peer.post("/control/keys", json!({ "withdraw": true })).await.0, 204);
    let (third, last) = (token().await, keys(&peer).await);
    let valid = [&first, &second, &third].map(|token| verified(token, &last).is_some());
    assert_eq!(valid, [false, false, true]);
}

#[tokio::test]
async fn a_code_needs_its_verifier_and_is_good_once() {
    let peer = Peer::start(2, RateLimit::Off).await;
    let code = code(&peer, "openid").await;
    assert_eq!(exchange(&peer, &code, VERIFIER).await.0, 200);
    let other = VERIFIER.replace('X', "Y");
    for (code, verifier) in [(code, VERIFIER), (self::code(&peer, "openid").await, &other)] {
        let (status, answer) = exchange(&peer, &code, verifier).await;
        assert_eq!((status, &answer["error"]), (400, &json!("invalid_grant")), "{answer}");
    }
    let form = [("grant_type", "authorization_code"), ("code", "x")];
    let (status, answer) = post(&peer, "token", &form, Application::DEMO_SECRET).await;
    assert_eq!((status, answer.as_str()), (401, "{\"error\":\"invalid_client\"}"));
}

#[tokio::test]
async fn a_revoked_token_tells_nothing() {
    let peer = Peer::start(2, RateLimit::Off).await;
    let tokens = tokens(&peer, "openid").await;
    let refresh = [("token", tokens["refresh_token"].as_str().unwrap())];
    let (status, body) = post(&peer, "token/revoke", &refresh, Application::PLAY_DEMO_SECRET).await;
    assert_eq!((status, body.as_str()), (200, ""));
    assert_eq!(get(&peer, "/oauth/v1/userinfo", tokens["access_token"].as_str().unwrap()).await.0, 401);
}

#[tokio::test]
async fn the_page_offers_game_accounts() {
    let peer = Peer::start(30, RateLimit::Off).await;
    let answer = browser().get(url(&peer, "openid profile")).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let page = answer.text().await.unwrap();
    let (first, last) = (play(0), play(19));
    for part in [
        &format!("name=\"user_id\" list=\"people\" value=\"{first}\""),
        &format!("<option value=\"{last}\" label=\"p19 (G)\">"),
        "Simulated game platform",
        Application::PLAY_DEMO_ID,
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(page.matches("<option").count(), 20);
    for form in ["user_id=77&decision=authorize", "user_id=x&decision=authorize"] {
        let answer = browser().post(url(&peer, "openid")).body(form).send().await.unwrap();
        assert_eq!(answer.status(), 400, "{form}");
    }
    let back = decide(&url(&peer, "openid"), "decision=cancel").await;
    let expected = [("error", "access_denied"), ("state", "s")];
    let expected: HashMap<_, _> = expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    assert!(expected.iter().all(|(name, value)| back.get(name) == Some(value)), "{back:?}");
}

#[tokio::test]
async fn flaws_belong_to_their_routes() {
    let peer = Peer::start(2, RateLimit::Off).await;
    for (route, flaw) in [
        ("POST /oauth/v1/token", "denied"),
        ("POST /oauth2/token", "wrong_nonce"),
        ("GET /oauth/v1/userinfo", "unsigned"),
        ("POST /oauth/v1/token", "wrong_subject"),
        ("*", "wrong_nonce"),
    ] {
        let (status, answer) = peer.post("/control/faults", json!({ "route": route, "flaw": flaw })).await;
        let message = answer["message"].as_str().unwrap_or_default();
        assert!(status == 400 && message.starts_with("flaw: "), "{route} {flaw}: {status} {message}");
    }
    let unknown = json!({ "route": "POST /oauth/v1/token", "flaw": "wrong" });
    assert_eq!(peer.post("/control/faults", unknown).await.0, 400);
    peer.fault(json!({ "route": "POST /oauth/v1/authorize", "flaw": "denied" })).await;
    let authorized = format!("user_id={}&decision=authorize", play(1));
    assert_eq!(decide(&url(&peer, "openid"), &authorized).await["error"], "access_denied");
    assert_eq!(decide(&url(&peer, "openid"), &authorized).await.get("error"), None);
}
