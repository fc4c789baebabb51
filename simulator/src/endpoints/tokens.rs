//! Access tokens of people: exchange for a code, revocation, and the data of a token's owner.
//!
//! Errors of the first two are OAuth 2's, those of the others the platform's. Refresh tokens are issued, but
//! only serve a revocation.

use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chrono::{DateTime, SecondsFormat, Utc};
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::endpoints::guild::settle;
use crate::grants::{Grant, Proof, TOKEN_LIFE};
use crate::objects;
use crate::pairs::pairs;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::{Records, Simulator};

const FORM: &str = "application/x-www-form-urlencoded";
/// The scope that shows who a token's owner is.
const IDENTIFY: &str = "identify";
const GUILDS: &str = "guilds";
/// The platform's limit of guilds.
const MAX_GUILDS: usize = 200;

type Form = HashMap<String, String>;

pub(crate) fn exchange(simulator: &Simulator, input: &Input) -> Reply {
    settle(read_form(simulator, input).and_then(|form| {
        if form.get("grant_type").is_none_or(|kind| kind != "authorization_code") {
            return Err(error(400, "unsupported_grant_type", "Only authorization_code is supported."));
        }
        let code = required(&form, "code", "Missing \"code\" in request.")?;
        let text = |name| form.get(name).map(String::as_str);
        let proof = Proof { redirect: text("redirect_uri"), verifier: text("code_verifier") };
        let issued = simulator.records().grants.exchange(code, &proof, Instant::now());
        let issued = issued.map_err(|(word, description)| error(400, word, description))?;
        Ok(Reply::ok(json!({
            "token_type": "Bearer", "access_token": issued.access, "refresh_token": issued.refresh,
            "expires_in": TOKEN_LIFE.as_secs(), "scope": issued.grant.scopes.join(" "),
        })))
    }))
}

/// Succeeds for unknown tokens too (RFC 7009).
pub(crate) fn revoke(simulator: &Simulator, input: &Input) -> Reply {
    settle(read_form(simulator, input).and_then(|form| {
        let token = required(&form, "token", "Missing \"token\" in request.")?;
        simulator.records().grants.revoke(token);
        Ok(Reply::ok(json!({})))
    }))
}

pub(crate) fn authorization(simulator: &Simulator, input: &Input) -> Reply {
    let records = simulator.records();
    let Some((grant, remaining)) = granted(&records, input) else { return Reply::chat_unauthorized() };
    let id = &simulator.options.application.client_id;
    let expires = DateTime::<Utc>::from(SystemTime::now() + remaining);
    let mut body = json!({
        "application": {
            "id": id, "name": "guildhall", "icon": null, "description": "", "hook": true, "bot_public": true,
            "bot_require_code_grant": false, "verify_key": "0".repeat(64),
        },
        "scopes": grant.scopes, "expires": expires.to_rfc3339_opts(SecondsFormat::Micros, false),
    });
    if let Some(user) = identified(grant) {
        body["user"] = user;
    }
    Reply::ok(body)
}

/// `GET /users/@me` for a person.
pub(crate) fn user(simulator: &Simulator, input: &Input) -> Reply {
    let records = simulator.records();
    let Some(mut user) = granted(&records, input).and_then(|(grant, _)| identified(grant)) else {
        return Reply::chat_unauthorized();
    };
    let of_the_owner = json!({ "mfa_enabled": true, "locale": "en-US", "flags": 0, "premium_type": 0 });
    if let (Value::Object(user), Value::Object(more)) = (&mut user, of_the_owner) {
        user.extend(more);
    }
    Reply::ok(user)
}

/// `GET /users/@me/guilds`: up to 200, by id.
pub(crate) fn guilds(simulator: &Simulator, input: &Input) -> Reply {
    let records = simulator.records();
    let Some((grant, _)) = granted(&records, input).filter(|(grant, _)| grant.has(GUILDS)) else {
        return Reply::chat_unauthorized();
    };
    let state = simulator.state();
    let own = state.guilds.iter().filter_map(|(id, guild)| {
        Some(objects::own_guild(*id, guild, grant.user, guild.members.get(&grant.user)?))
    });
    Reply::ok(own.take(MAX_GUILDS).collect())
}

/// The grant of the request's token, and its remaining time.
fn granted<'r>(records: &'r Records, input: &Input) -> Option<(&'r Grant, Duration)> {
    records.grants.find(input.authorization("Bearer")?, Instant::now())
}

fn identified(grant: &Grant) -> Option<Value> {
    grant.has(IDENTIFY).then(|| objects::user(grant.user, false))
}

/// A form of the application. Its credentials come as Basic authentication or in the form.
fn read_form(simulator: &Simulator, input: &Input) -> Result<Form, Reply> {
    let kind = input.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.starts_with(FORM) {
        return Err(error(400, "invalid_request", "The content type must be that of a form."));
    }
    let form = pairs(&String::from_utf8_lossy(&input.body));
    let of_form = || Some((form.get("client_id")?.clone(), form.get("client_secret")?.clone()));
    let application = &simulator.options.application;
    match basic(input).or_else(of_form) {
        Some((id, secret)) if id == application.client_id && secret == application.client_secret => Ok(form),
        _ => Err(Reply::json(401, json!({ "error": "invalid_client" }))),
    }
}

/// Id and secret are encoded like a form (RFC 6749, section 2.3.1).
fn basic(input: &Input) -> Option<(String, String)> {
    let bytes = BASE64_STANDARD.decode(input.authorization("Basic")?).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (id, secret) = text.split_once(':')?;
    let mut decoded = pairs(&format!("id={id}&secret={secret}"));
    Some((decoded.remove("id")?, decoded.remove("secret")?))
}

fn required<'a>(form: &'a Form, name: &str, missing: &str) -> Result<&'a str, Reply> {
    let value = form.get(name).filter(|value| !value.is_empty());
    value.map(String::as_str).ok_or_else(|| error(400, "invalid_request", missing))
}

fn error(status: u16, word: &str, description: &str) -> Reply {
    Reply::json(status, json!({ "error": word, "error_description": description }))
}
