//! OpenID Connect with the game platform: ID and access tokens of people, the data of a token's owner, public keys.

use std::time::{Instant, SystemTime};

use entities::PlayId;
use http::header::HOST;
use ring::error::Unspecified;
use serde_json::{Value, json};

use crate::endpoints::client_form;
use crate::endpoints::guild::settle;
use crate::flaw::Flaw;
use crate::grants::{Account as _, Grant};
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::{Records, Simulator};

const OPENID: &str = "openid";
const PROFILE: &str = "profile";
/// For how many seconds an expired token has been so.
const EXPIRED_FOR: u64 = 3_600;

/// `POST /oauth/v1/token`.
pub(crate) fn exchange(simulator: &Simulator, input: &Input) -> Reply {
    let application = &simulator.options.play_application;
    settle(client_form::read(application, input).and_then(|form| {
        let issued = client_form::exchange(&mut simulator.records().play_grants, &form)?;
        let mut body = client_form::issued(&issued);
        if issued.grant.has(OPENID) && input.flaw != Some(Flaw::NoIdToken) {
            let claims = claims(simulator, input, &issued.grant);
            let token = simulator.records().signing_keys.sign(&claims, input.flaw);
            body["id_token"] = json!(token.map_err(keyless)?);
        }
        Ok(Reply::ok(body))
    }))
}

/// `POST /oauth/v1/token/revoke`. The platform's answer is empty.
pub(crate) fn revoke(simulator: &Simulator, input: &Input) -> Reply {
    settle(client_form::read(&simulator.options.play_application, input).and_then(|form| {
        client_form::revoke(&mut simulator.records().play_grants, &form)?;
        Ok(Reply::nothing())
    }))
}

/// `GET /oauth/v1/userinfo`.
pub(crate) fn userinfo(simulator: &Simulator, input: &Input) -> Reply {
    let records = simulator.records();
    let Some(grant) = granted(&records, input) else { return Reply::play_unauthorized() };
    let mut user = json!({ "sub": grant.user.to_string() });
    add_profile(simulator, grant, &mut user);
    if input.flaw == Some(Flaw::WrongSubject) {
        user["sub"] = json!((grant.user.get() + 1).to_string());
    }
    Reply::ok(user)
}

/// `GET /oauth/v1/certs`.
pub(crate) fn certs(simulator: &Simulator, _: &Input) -> Reply {
    settle(simulator.records().signing_keys.published().map(Reply::ok).map_err(keyless))
}

/// `GET /oauth/.well-known/openid-configuration`.
pub(crate) fn configuration(_: &Simulator, input: &Input) -> Reply {
    let issuer = issuer(input);
    Reply::ok(json!({
        "issuer": issuer, "authorization_endpoint": format!("{issuer}v1/authorize"),
        "token_endpoint": format!("{issuer}v1/token"), "revocation_endpoint": format!("{issuer}v1/token/revoke"),
        "userinfo_endpoint": format!("{issuer}v1/userinfo"), "jwks_uri": format!("{issuer}v1/certs"),
        "scopes_supported": [OPENID, PROFILE], "response_types_supported": ["code"],
        "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["ES256"],
        "claims_supported": ["sub", "name", "nickname", "preferred_username", "created_at", "profile", "picture"],
        "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
        "code_challenge_methods_supported": ["S256"],
    }))
}

fn keyless(_: Unspecified) -> Reply {
    Reply::play_error(500, "INTERNAL", "No key could be generated.")
}

fn granted<'r>(records: &'r Records, input: &Input) -> Option<&'r Grant<PlayId>> {
    records.play_grants.find(input.authorization("Bearer")?, Instant::now()).map(|(grant, _)| grant)
}

/// The address under which the client knows this platform.
fn issuer(input: &Input) -> String {
    let host = input.headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    format!("http://{host}/oauth/")
}

fn claims(simulator: &Simulator, input: &Input, grant: &Grant<PlayId>) -> Value {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mut claims = json!({
        "iss": issuer(input), "aud": simulator.options.play_application.client_id, "sub": grant.user.to_string(),
        "iat": now.as_secs(), "nbf": now.as_secs(), "exp": (now + PlayId::TOKEN_LIFE).as_secs(),
    });
    if let Some(nonce) = &grant.nonce {
        claims["nonce"] = json!(nonce);
    }
    if input.flaw != Some(Flaw::BareIdToken) {
        add_profile(simulator, grant, &mut claims);
    }
    match input.flaw {
        Some(Flaw::WrongNonce) => claims["nonce"] = json!("of-another-attempt"),
        Some(Flaw::WrongIssuer) => claims["iss"] = json!("https://platform.invalid/oauth/"),
        Some(Flaw::WrongAudience) => claims["aud"] = json!("another-application"),
        Some(Flaw::ExpiredToken) => claims["exp"] = json!(now.as_secs().saturating_sub(EXPIRED_FOR)),
        _ => {}
    }
    claims
}

/// What the scope `profile` shows.
fn add_profile(simulator: &Simulator, grant: &Grant<PlayId>, to: &mut Value) {
    let state = simulator.state();
    let Some((name, profile)) = state.player(grant.user).filter(|_| grant.has(PROFILE)) else { return };
    let page = format!("https://www.roblox.com/users/{}/profile", grant.user);
    to["preferred_username"] = json!(name);
    to["created_at"] = json!(profile.created.timestamp());
    for (claim, value) in [("name", name), ("nickname", name), ("profile", page.as_str())] {
        to[claim] = json!(value);
    }
    to["picture"] = Value::Null;
}
