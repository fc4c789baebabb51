//! Where the games of the guild send codes.

use std::net::IpAddr;

use http::Uri;

/// One place, with one key, for all players.
#[derive(Clone)]
pub(crate) struct Game {
    pub(crate) confirm: Uri,
    pub(crate) key: String,
}

impl Game {
    /// `None`: the API is not an http address of this machine, and others must not get the key.
    pub(crate) fn of(api_url: &str, key: String) -> Option<Self> {
        let confirm: Uri = format!("{}/links/confirm", api_url.trim_end_matches('/')).parse().ok()?;
        let host = confirm.host()?.trim_start_matches('[').trim_end_matches(']');
        let is_local = host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
        (is_local && confirm.scheme_str() == Some("http")).then_some(Self { confirm, key })
    }
}

/// What the game shows.
#[derive(Default)]
pub(crate) enum Screen {
    #[default]
    Code,
    /// Whether the player's account is to be linked with that of this name.
    Question {
        code: String,
        name: String,
    },
    Says(String),
}
