//! A call of the API on behalf of a person, in this process.

use std::sync::Arc;

use entities::{ChatId, GuildId};
use futures_util::future::BoxFuture;
use http::{Method, StatusCode};
use platforms::PLATFORM_UNAVAILABLE;
use serde_json::{Map, Value};

use crate::labels;
use crate::rights::Rights;

/// In place of the call that failed, which says nothing to people.
const PLATFORM_AWAY: &str =
    "Roblox or Discord does not answer as it should at the moment. Try again in a minute.";

/// The person, for the audit log, and their rights: the API checks them again.
#[derive(Clone, Debug)]
pub struct Caller {
    pub guild: GuildId,
    pub user: ChatId,
    pub rights: Arc<Rights>,
    /// Their name, where the chat platform has told with this very request that they are a member.
    pub member: Option<Arc<str>>,
    pub request_id: Arc<str>,
}

#[derive(Clone, Debug)]
pub struct ApiCall {
    pub method: Method,
    /// Percent-encoded, with the query.
    pub path: String,
    pub body: Map<String, Value>,
}

/// The envelope of the API.
#[derive(Clone, Debug)]
pub struct ApiAnswer {
    pub status: StatusCode,
    pub body: Value,
}

/// The API of this process: the same validation, transactions and audit entries as over HTTP.
pub trait Api: Send + Sync {
    fn call(&self, caller: Caller, call: ApiCall) -> BoxFuture<'static, ApiAnswer>;
}

impl ApiAnswer {
    fn raw(&self) -> &str {
        self.body["message"].as_str().unwrap_or("the request failed")
    }

    /// For a person: with labels in place of names of fields.
    pub fn message(&self) -> String {
        if self.body["error"] == PLATFORM_UNAVAILABLE {
            return PLATFORM_AWAY.to_owned();
        }
        labels::plain(self.raw())
    }

    /// The field that a refusal names first, in backticks, without its index.
    pub fn field(&self) -> Option<&str> {
        self.raw().split('`').nth(1)?.split(['[', '.']).next()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_platform_that_is_away_is_told_without_its_calls() {
        let message = "POST /v1/users is unavailable: no connection";
        let body = json!({ "error": "platform_unavailable", "message": message });
        let answer = ApiAnswer { status: StatusCode::SERVICE_UNAVAILABLE, body };
        assert_eq!(answer.message(), PLATFORM_AWAY);
    }
}
