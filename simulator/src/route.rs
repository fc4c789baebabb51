//! The properties of a route: its template, its platform and its bucket.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{AUTHORIZATION, HOST};

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
    /// The chat platform without a credential in the headers: answers to interactions, whose path holds a token, and
    /// pictures. No limits, and not counted as requests of the bot.
    Open,
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
        matches!(self, Self::Chat | Self::SignIn | Self::Open)
    }

    /// Whether requests have no limit that the bot or the owner of the key must keep.
    pub(crate) fn is_unlimited(self) -> bool {
        matches!(self, Self::SignIn | Self::PlaySignIn | Self::Open)
    }
}

impl Route {
    pub(crate) fn changes_a_guild(&self) -> bool {
        self.side == Side::Chat && !self.name.starts_with("GET ") && self.name.contains(" /guilds/")
    }
}

/// The object that a bucket belongs to: the guild of the path, or the channel.
pub(crate) fn bucket_key(params: &HashMap<String, String>) -> &str {
    params.get("guild").or_else(|| params.get("channel")).map_or("", String::as_str)
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

    /// The address of this server, as the client reached it.
    pub(crate) fn base_url(&self) -> String {
        let host = self.headers.get(HOST).and_then(|host| host.to_str().ok());
        format!("http://{}", host.unwrap_or("localhost"))
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
