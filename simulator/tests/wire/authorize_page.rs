//! The page on which people authorize the application, as a browser sees it.

use reqwest::Url;
use serde_json::json;
use simulator::{Application, RateLimit};

use crate::peer::{Peer, chat};
use crate::sign_in::{REDIRECT, browser, decide};

const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// The URL of a valid request, with these parameters in place of its own; an empty one is left out.
fn url(peer: &Peer, changed: &[(&str, &str)]) -> String {
    let valid = [
        ("response_type", "code"),
        ("client_id", Application::DEMO_ID),
        ("scope", "identify"),
        ("state", "s 1&2"),
        ("redirect_uri", REDIRECT),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
    ];
    let change = |name| changed.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
    let pairs = valid.map(|(name, value)| (name, change(name).unwrap_or(value)));
    let given = pairs.into_iter().filter(|(_, value)| !value.is_empty());
    Url::parse_with_params(&format!("{}/oauth2/authorize", peer.url), given).unwrap().into()
}

async fn open(url: &str) -> (u16, String) {
    let answer = browser().get(url).send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8");
    (answer.status().as_u16(), answer.text().await.unwrap())
}

#[tokio::test]
async fn the_page_offers_people_and_two_buttons() {
    let peer = Peer::start(30, RateLimit::Off).await;
    let (status, page) = open(&url(&peer, &[])).await;
    assert_eq!(status, 200);
    let (owner, member) = (chat(0), chat(19));
    for part in [
        &format!("name=\"user_id\" list=\"people\" value=\"{owner}\""),
        &format!("<option value=\"{owner}\" label=\"m0 (G, owner)\">"),
        &format!("<option value=\"{member}\" label=\"m19 (G)\">"),
        "<button name=\"decision\" value=\"authorize\">Authorize</button>",
        "<button name=\"decision\" value=\"cancel\">Cancel</button>",
        "guildhall-demo",
        "identify",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(page.matches("<option").count(), 21);
    assert_eq!(peer.stats().await["chat_requests"], 0);
}

#[tokio::test]
async fn an_unknown_application_or_address_gets_a_page_and_no_redirect() {
    let peer = Peer::start(1, RateLimit::Off).await;
    for changed in [
        ("client_id", "other"),
        ("client_id", ""),
        ("redirect_uri", ""),
        ("redirect_uri", "javascript:alert(1)"),
        ("redirect_uri", "https://a.example.org/#b"),
    ] {
        let (status, page) = open(&url(&peer, &[changed])).await;
        assert!(status == 400 && page.contains("role=\"alert\""), "{changed:?}: {status} {page}");
    }
}

#[tokio::test]
async fn other_faults_of_a_request_go_back_to_the_application() {
    let peer = Peer::start(1, RateLimit::Off).await;
    for (changed, error) in [
        (("response_type", "token"), "unsupported_response_type"),
        (("scope", ""), "invalid_scope"),
        (("scope", "identify everything"), "invalid_scope"),
        (("code_challenge_method", "plain"), "invalid_request"),
        (("code_challenge_method", ""), "invalid_request"),
        (("code_challenge", "short"), "invalid_request"),
    ] {
        let back = decide(&url(&peer, &[changed]), "decision=authorize").await;
        assert_eq!((back["error"].as_str(), back["state"].as_str()), (error, "s 1&2"), "{changed:?}");
    }
}

#[tokio::test]
async fn a_decision_goes_back_with_the_state() {
    let peer = Peer::start(2, RateLimit::Off).await;
    let authorized = format!("user_id=+{}+&decision=authorize", chat(1));
    let back = decide(&url(&peer, &[]), &authorized).await;
    assert_eq!((back["state"].as_str(), back["code"].len(), back.len()), ("s 1&2", 30, 2));
    let back = decide(&url(&peer, &[("state", "")]), &authorized).await;
    assert_eq!(back.len(), 1);
    let back = decide(&url(&peer, &[]), "decision=cancel").await;
    assert_eq!((back["error"].as_str(), back["state"].as_str()), ("access_denied", "s 1&2"));
}

#[tokio::test]
async fn a_decision_can_have_a_flaw() {
    let peer = Peer::start(2, RateLimit::Off).await;
    let authorized = format!("user_id={}&decision=authorize", chat(1));
    let flawed = async |flaw: &str| {
        peer.fault(json!({ "route": "POST /oauth2/authorize", "flaw": flaw })).await;
        decide(&url(&peer, &[]), &authorized).await
    };
    assert_eq!(flawed("denied").await["error"], "access_denied");
    let back = flawed("wrong_state").await;
    assert!(back["state"] != "s 1&2" && back.contains_key("code"), "{back:?}");
    let code = flawed("expired_code").await.remove("code").unwrap();
    let form = format!("grant_type=authorization_code&code={code}&redirect_uri={REDIRECT}");
    let request = peer.http.post(format!("{}/oauth2/token", peer.url)).body(form);
    let request = request.basic_auth(Application::DEMO_ID, Some(Application::DEMO_SECRET));
    let answer = request.header("content-type", "application/x-www-form-urlencoded").send().await.unwrap();
    assert_eq!(answer.status(), 400);
    assert_eq!(decide(&url(&peer, &[]), &authorized).await["state"], "s 1&2");
}

#[tokio::test]
async fn unknown_people_and_unclear_decisions_see_the_page_again() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let known = chat(0);
    for form in [
        "decision=authorize".to_owned(),
        "user_id=x&decision=authorize".to_owned(),
        "user_id=77&decision=authorize".to_owned(),
        // The bot.
        "user_id=900000000000000001&decision=authorize".to_owned(),
        format!("user_id={known}"),
        format!("user_id={known}&decision=maybe"),
    ] {
        let answer = browser().post(url(&peer, &[])).body(form.clone()).send().await.unwrap();
        let (status, page) = (answer.status().as_u16(), answer.text().await.unwrap());
        assert!(status == 400 && page.contains("role=\"alert\"") && page.contains("<form"), "{form}: {page}");
    }
}

#[tokio::test]
async fn the_page_can_fail_as_other_routes_do() {
    let peer = Peer::start(1, RateLimit::Off).await;
    peer.fault(json!({ "route": "GET /oauth2/authorize", "status": 503 })).await;
    let failed = browser().get(url(&peer, &[])).send().await.unwrap();
    assert_eq!((failed.status().as_u16(), &failed.headers()["via"]), (503, &"1.1 google".parse().unwrap()));
    assert_eq!(open(&url(&peer, &[])).await.0, 200);
}
