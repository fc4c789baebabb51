//! Access tokens of people on the chat platform: exchange for a code, revocation, and the data of a token's owner.
//!
//! Errors of the first two are OAuth 2's, those of the others the platform's.

use std::time::{Duration, Instant, SystemTime};

use chrono::{DateTime, SecondsFormat, Utc};
use entities::ChatId;
use serde_json::{Value, json};

use crate::endpoints::client_form;
use crate::endpoints::guild::settle;
use crate::grants::Grant;
use crate::objects;
use crate::options::Application;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::{Records, Simulator};

/// The scope that shows who a token's owner is.
const IDENTIFY: &str = "identify";
const GUILDS: &str = "guilds";
const CONNECTIONS: &str = "connections";
/// The platform's limit of guilds.
const MAX_GUILDS: usize = 200;

pub(crate) fn exchange(simulator: &Simulator, input: &Input) -> Reply {
    settle(client_form::read(&simulator.options.application, input).and_then(|form| {
        let issued = client_form::exchange(&mut simulator.records().grants, &form)?;
        Ok(Reply::ok(client_form::issued(&issued)))
    }))
}

pub(crate) fn revoke(simulator: &Simulator, input: &Input) -> Reply {
    settle(client_form::read(&simulator.options.application, input).and_then(|form| {
        client_form::revoke(&mut simulator.records().grants, &form)?;
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
            "bot_require_code_grant": false, "verify_key": Application::PUBLIC_KEY,
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

pub(crate) fn connections(simulator: &Simulator, input: &Input) -> Reply {
    let records = simulator.records();
    let Some((grant, _)) = granted(&records, input).filter(|(grant, _)| grant.has(CONNECTIONS)) else {
        return Reply::chat_unauthorized();
    };
    let state = simulator.state();
    Reply::ok(state.connections.get(&grant.user).into_iter().flatten().map(objects::connection).collect())
}

/// The grant of the request's token, and its remaining time.
fn granted<'r>(records: &'r Records, input: &Input) -> Option<(&'r Grant<ChatId>, Duration)> {
    records.grants.find(input.authorization("Bearer")?, Instant::now())
}

fn identified(grant: &Grant<ChatId>) -> Option<Value> {
    grant.has(IDENTIFY).then(|| objects::user(grant.user, false))
}
