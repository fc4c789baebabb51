//! The properties of a route: its template, its platform and its bucket.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http::header::AUTHORIZATION;

use crate::flaw::Flaw;

/// The platform of a route, which decides credential and limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Needs `Authorization: Bot ...`; global limit and buckets.
    Chat,
    /// The chat platform for a person: needs the application's credentials or an access token, which handlers check. No
    /// limits, and not counted as requests of the bot.
    SignIn,
    /// The game platform for a person, in the same way.
    PlaySignIn,
    /// Needs `x-api-key`; 300 requests a minute for each key.
    Cloud,
    /// Needs no credential.
    Users,
    /// No platform: no limits, no faults, not counted.
    Control,
}

/// A bucket of the chat platform: a number of requests in a window, for each guild.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BucketRule {
    pub(crate) name: &'static str,
    pub(crate) limit: u32,
    pub(crate) window: Duration,
    pub(crate) kind: Window,
}

/// How used requests are restored: all at once at the window's end, or one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Window {
    Fixed,
    Sliding,
}

pub(crate) struct Route {
    /// The template: method and path, the key of faults and statistics.
    pub(crate) name: &'static str,
    pub(crate) side: Side,
    pub(crate) bucket: Option<BucketRule>,
}

impl Side {
    /// Whether the chat platform's hosts answer, in their format.
    pub(crate) fn is_chat_platform(self) -> bool {
        matches!(self, Self::Chat | Self::SignIn)
    }

    /// Whether a person stands behind a request, not the bot or the owner of the key.
    pub(crate) fn is_sign_in(self) -> bool {
        matches!(self, Self::SignIn | Self::PlaySignIn)
    }
}

impl Route {
    pub(crate) fn changes_a_guild(&self) -> bool {
        self.side == Side::Chat && !self.name.starts_with("GET ")
    }
}

#[derive(Default)]
pub(crate) struct Input {
    pub(crate) params: HashMap<String, String>,
    pub(crate) query: HashMap<String, String>,
    pub(crate) headers: HeaderMap,
    /// The reason for the guild's audit log.
    pub(crate) reason: Option<String>,
    pub(crate) body: Bytes,
    /// What is wrong with the answer, by an injected fault.
    pub(crate) flaw: Option<Flaw>,
}

impl Input {
    pub(crate) fn param(&self, name: &str) -> &str {
        self.params.get(name).map_or("", String::as_str)
    }

    /// What follows the scheme in `Authorization`.
    pub(crate) fn authorization(&self, scheme: &str) -> Option<&str> {
        authorization(&self.headers, scheme)
    }

    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        self.query.get(name).map(String::as_str)
    }
}

pub(crate) fn authorization<'a>(headers: &'a HeaderMap, scheme: &str) -> Option<&'a str> {
    let (given, credential) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    Some(credential).filter(|_| given == scheme)
}
