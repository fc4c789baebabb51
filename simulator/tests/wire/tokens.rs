//! The exact answers about codes and tokens, as other clients of the platform read them.

use reqwest::StatusCode;
use serde_json::{Value, json};
use simulator::{Application, RateLimit, SimulatorOptions};
use twilight_model::oauth::CurrentAuthorizationInformation;
use twilight_model::user::CurrentUser;

use crate::peer::{Peer, chat};
use crate::sign_in::{REDIRECT, decide};

const ID: &str = "7000000000000009000";
const SECRET: &str = "s+1/2 3";

async fn peer() -> Peer {
    let application = Application::new(ID, SECRET);
    let options =
        SimulatorOptions { application, rate_limit: RateLimit::Discord, ..SimulatorOptions::default() };
    Peer::with(2, options).await
}

async fn code(peer: &Peer) -> String {
    let url = format!(
        "{}/oauth2/authorize?response_type=code&client_id={ID}&scope=identify&redirect_uri={REDIRECT}",
        peer.url
    );
    let form = format!("user_id={}&decision=authorize", chat(1));
    decide(&url, &form).await.remove("code").unwrap()
}

/// Posts a form; the credentials are in it, unless they come as Basic authentication.
async fn post(peer: &Peer, path: &str, form: &str, basic: Option<(&str, &str)>) -> (StatusCode, Value) {
    let request = peer.http.post(format!("{}/api/v10{path}", peer.url)).body(form.to_owned());
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let request = match basic {
        Some((id, secret)) => request.basic_auth(id, Some(secret)),
        None => request,
    };
    let answer = request.send().await.unwrap();
    (answer.status(), answer.json().await.unwrap())
}

fn exchange(code: &str) -> String {
    format!("grant_type=authorization_code&code={code}&redirect_uri={REDIRECT}")
}

async fn token(peer: &Peer) -> Value {
    let form = exchange(&code(peer).await) + &format!("&client_id={ID}&client_secret=s%2B1/2+3");
    let (status, token) = post(peer, "/oauth2/token", &form, None).await;
    assert_eq!(status, 200, "{token}");
    token
}

async fn get(peer: &Peer, path: &str, authorization: &str) -> (u16, String) {
    let request = peer.http.get(format!("{}/api/v10{path}", peer.url)).header("authorization", authorization);
    let answer = request.send().await.unwrap();
    assert_eq!(answer.headers()["via"], "1.1 google");
    (answer.status().as_u16(), answer.text().await.unwrap())
}

#[tokio::test]
async fn a_token_has_the_platforms_form() {
    let peer = peer().await;
    let token = token(&peer).await;
    assert_eq!(
        (&token["token_type"], &token["scope"], &token["expires_in"]),
        (&json!("Bearer"), &json!("identify"), &json!(604_800))
    );
    assert!(["access_token", "refresh_token"].iter().all(|name| token[name].as_str().unwrap().len() == 30));
    let encoded = ("7000000000000009000", "s%2B1%2F2+3");
    let (status, _) = post(&peer, "/oauth2/token", &exchange(&code(&peer).await), Some(encoded)).await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn refused_exchanges_name_the_fault() {
    let peer = peer().await;
    let right = Some((ID, "s%2B1%2F2+3"));
    let cases = [
        (exchange("x"), None, 401, "invalid_client"),
        (exchange("x"), Some((ID, "other")), 401, "invalid_client"),
        (exchange("x"), Some(("other", "s%2B1%2F2+3")), 401, "invalid_client"),
        (exchange("x"), right, 400, "invalid_grant"),
        ("grant_type=authorization_code".to_owned(), right, 400, "invalid_request"),
        ("grant_type=client_credentials".to_owned(), right, 400, "unsupported_grant_type"),
        (String::new(), right, 400, "unsupported_grant_type"),
    ];
    for (form, credentials, expected, error) in cases {
        let (status, answer) = post(&peer, "/oauth2/token", &form, credentials).await;
        assert_eq!((status.as_u16(), &answer["error"]), (expected, &json!(error)), "{form}: {answer}");
    }
    let as_json = peer.http.post(format!("{}/oauth2/token", peer.url)).json(&json!({ "code": "x" }));
    assert_eq!(as_json.send().await.unwrap().status(), 400);
}

#[tokio::test]
async fn what_a_token_tells_parses_as_twilight_types() {
    let peer = peer().await;
    let bearer = format!("Bearer {}", token(&peer).await["access_token"].as_str().unwrap());
    let (_, authorization) = get(&peer, "/oauth2/@me", &bearer).await;
    let authorization: CurrentAuthorizationInformation = serde_json::from_str(&authorization).unwrap();
    assert_eq!(authorization.scopes, ["identify"]);
    assert_eq!(authorization.application.id.to_string(), ID);
    let lasts =
        authorization.expires.as_secs() - std::time::UNIX_EPOCH.elapsed().unwrap().as_secs().cast_signed();
    assert!((604_700..=604_800).contains(&lasts), "{lasts}");
    assert_eq!(authorization.user.unwrap().id.to_string(), chat(1).to_string());
    let user: CurrentUser = serde_json::from_str(&get(&peer, "/users/%40me", &bearer).await.1).unwrap();
    assert_eq!((user.id.to_string(), user.bot), (chat(1).to_string(), false));
}

#[tokio::test]
async fn the_bot_and_people_have_one_route_for_themselves() {
    let peer = peer().await;
    let unauthorized = (401, json!({ "code": 0, "message": "401: Unauthorized" }).to_string());
    let nameless = format!("Bearer {}", token(&peer).await["access_token"].as_str().unwrap());
    let (status, bot) = get(&peer, "/users/@me", "Bot t").await;
    assert!(status == 200 && bot.contains("\"username\":\"guildhall\""), "{bot}");
    for (path, wrong) in [
        ("/users/@me", "Bearer t"),
        ("/users/@me", "bearer t"),
        ("/users/@me", "Bearer"),
        // Only the scope `identify`.
        ("/users/@me/guilds", &nameless),
        ("/users/@me/guilds", "Bearer t"),
        ("/oauth2/@me", "Bot t"),
        ("/oauth2/@me", "Bearer t"),
    ] {
        assert_eq!(get(&peer, path, wrong).await, unauthorized, "{path} {wrong}");
    }
    let stats = peer.stats().await;
    let counted = [&stats["requests"]["GET /users/@me"]["200"], &stats["requests"]["GET /users/@me"]["401"]];
    assert_eq!(counted, [&json!(1), &json!(3)], "{stats}");
    let routes: Value =
        peer.http.get(format!("{}/control/routes", peer.url)).send().await.unwrap().json().await.unwrap();
    let named =
        routes["routes"].as_array().unwrap().iter().filter(|route| *route == "GET /users/@me").count();
    assert_eq!(named, 1);
}

#[tokio::test]
async fn a_revoked_token_tells_nothing() {
    let peer = peer().await;
    let right = Some((ID, "s%2B1%2F2+3"));
    for by in ["access_token", "refresh_token"] {
        let token = token(&peer).await;
        let bearer = format!("Bearer {}", token["access_token"].as_str().unwrap());
        assert_eq!(get(&peer, "/oauth2/@me", &bearer).await.0, 200);
        let form = format!("token={}&token_type_hint=access_token", token[by].as_str().unwrap());
        assert_eq!(post(&peer, "/oauth2/token/revoke", &form, None).await.0, 401);
        assert_eq!(post(&peer, "/oauth2/token/revoke", &form, right).await, (StatusCode::OK, json!({})));
        for path in ["/oauth2/@me", "/users/@me"] {
            assert_eq!(get(&peer, path, &bearer).await.0, 401, "{path}");
        }
    }
    assert_eq!(post(&peer, "/oauth2/token/revoke", "token=unknown", right).await.0, 200);
    assert_eq!(post(&peer, "/oauth2/token/revoke", "", right).await.0, 400);
}
