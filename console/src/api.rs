//! How a page changes something: a call of the API on behalf of a person, in this process.

use entities::{ChatId, GuildId};
use futures_util::future::BoxFuture;
use http::{Method, StatusCode};
use serde_json::{Map, Value};
use tokio::sync::OwnedSemaphorePermit;

use crate::figures::ProcessFigures;
use crate::guard::rights::Rights;
use crate::html::labels;

/// The signed-in person, for the audit log, and their rights: the API checks them again.
#[derive(Clone, Debug)]
pub struct Caller {
    pub guild: GuildId,
    pub user: ChatId,
    pub rights: std::sync::Arc<Rights>,
    pub request_id: std::sync::Arc<str>,
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

/// The limit of pages is used up for this many seconds.
#[derive(Debug, Clone, Copy)]
pub struct Over {
    pub retry_after: u64,
}

/// Until it is dropped.
pub type Turn = Option<OwnedSemaphorePermit>;

/// The API of this process: the same validation, transactions and audit entries as over HTTP.
pub trait Api: Send + Sync {
    fn call(&self, caller: Caller, call: ApiCall) -> BoxFuture<'static, ApiAnswer>;

    /// Counts a page of this person.
    fn count_page(&self, person: ChatId) -> BoxFuture<'static, Result<(), Over>>;

    /// The guild's turn to read for a page or a part of a file.
    fn turn(&self, guild: GuildId) -> BoxFuture<'static, Turn>;

    /// Usage and limits of this process.
    fn figures(&self) -> ProcessFigures;
}

impl ApiAnswer {
    fn raw(&self) -> &str {
        self.body["message"].as_str().unwrap_or("the request failed")
    }

    /// For the person at a form: with labels in place of names of fields.
    pub(crate) fn message(&self) -> String {
        labels::plain(self.raw())
    }

    /// The field that a refusal names first, in backticks, without its index.
    pub(crate) fn field(&self) -> Option<&str> {
        self.raw().split('`').nth(1)?.split(['[', '.']).next()
    }
}
