//! Sign-ins with the game platform in which somebody poses as the platform, or has another person finish their attempt.

use std::time::Duration;

use platforms::{Attempt, IdTokenError, PlatformError, SignInError};
use reqwest::Url;
use simulator::RateLimit;

use crate::peer::{Peer, play};
use crate::play_sign_in::{
    AUTHORIZE, CERTS, OWNER, REVOKE, TOKEN, attempt, authorize, begun, flaw, player, refused, sign_in,
    signed_in,
};
use crate::sign_in::{REDIRECT, decide, now};

/// The URL without these parameters.
fn stripped(url: &str, names: &[&str]) -> String {
    let mut url: Url = url.parse().unwrap();
    let kept: Vec<(String, String)> =
        url.query_pairs().into_owned().filter(|(name, _)| !names.contains(&name.as_str())).collect();
    url.query_pairs_mut().clear().extend_pairs(kept);
    url.into()
}

#[tokio::test]
async fn each_token_that_proves_nothing_is_refused() {
    let peer = Peer::start(3, RateLimit::Off).await;
    let sign_in = sign_in(&peer);
    // Its keys are known when the first forgery comes, and also when not.
    for sign_in in [&sign_in, &sign_in, &crate::play_sign_in::sign_in(&peer)] {
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
