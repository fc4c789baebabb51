//! A caller with all scopes of one guild that takes a new key before a rate limit can refuse it.

use std::cell::Cell;

use serde_json::Value;

use super::operations::Request;
use testkit::{Answer, Api, Deployment, Guild};

/// Below the lowest rate limit of a minute.
const CALLS_PER_KEY: usize = 9;
const ALL_SCOPES: &str = "read,moderation,staff,play,sync,shield,links,admin";

pub(crate) struct Caller {
    api: Api,
    keys: Vec<String>,
    calls: Cell<usize>,
}

impl Caller {
    /// Creates all keys at once, because the tests compare the database before and after the calls.
    pub(crate) async fn of(deployment: &Deployment, guild: &Guild, calls: usize) -> Self {
        let owner = guild.members[0].chat.as_str();
        let args = ["keys", "create", "--guild", &guild.id, "--name", "walk", "--owner", owner];
        let args: Vec<&str> = args.into_iter().chain(["--scopes", ALL_SCOPES]).collect();
        let mut keys = Vec::new();
        for _ in 0..calls.div_ceil(CALLS_PER_KEY) {
            keys.push(deployment.command(&args).await.succeeded().trim().to_owned());
        }
        Self { api: deployment.api(), keys, calls: Cell::new(0) }
    }

    pub(crate) async fn send(&self, request: Request, guild_header: Option<&str>) -> Answer {
        let call = self.calls.replace(self.calls.get() + 1);
        let mut api = self.api.key(&self.keys[call / CALLS_PER_KEY]);
        if let Some(guild) = guild_header {
            api = api.header("x-guild-id", guild);
        }
        api.send(request.method, &request.path, request.body).await
    }
}

/// The body without the ids that were sent, and for a success without ids and times that are new in each answer.
pub(super) fn comparable(answer: &Answer, sent: &[String]) -> Value {
    let mut body = answer.without_request_id();
    mask(&mut body, sent, answer.status < 400);
    body
}

fn mask(value: &mut Value, sent: &[String], new_things: bool) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_new =
                    ["id", "session_id", "revision"].contains(&name.as_str()) || name.ends_with("_at");
                if new_things && is_new && !value.is_null() {
                    *value = "<new>".into();
                }
                mask(value, sent, new_things);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask(item, sent, new_things)),
        Value::String(text) => {
            for id in sent {
                *text = text.replace(id, "<id>");
            }
        }
        Value::Number(number) if sent.contains(&number.to_string()) => *value = "<id>".into(),
        _ => {}
    }
}
