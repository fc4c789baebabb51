//! Cookies of the console. All are `__Host-`: of this host alone, over TLS (or on the same machine), unseen by scripts.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderValue, header};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub(crate) const SESSION: &str = "__Host-guildhall";
/// An attempt to sign in with the chat platform.
pub(crate) const ATTEMPT: &str = "__Host-guildhall-attempt";
/// What the last form did, for the page that follows.
pub(crate) const SAID: &str = "__Host-guildhall-said";

pub(crate) fn read<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
}

/// `seconds`: until the browser forgets it.
pub(crate) fn set(name: &str, value: &str, seconds: i64) -> Option<HeaderValue> {
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; Secure; HttpOnly; SameSite=Lax");
    HeaderValue::from_str(&text).ok()
}

pub(crate) fn forget(name: &str) -> Option<HeaderValue> {
    set(name, "", 0)
}

/// A value of our own in a cookie. Nothing secret: the browser can read and change it.
pub(crate) fn pack<T: Serialize>(value: &T) -> String {
    serde_json::to_vec(value).map(|json| URL_SAFE_NO_PAD.encode(json)).unwrap_or_default()
}

pub(crate) fn unpack<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
}

/// What the last form did.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) undo: Option<Undo>,
}

/// A form that takes the last change back.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(crate) struct Undo {
    pub(crate) action: String,
    pub(crate) fields: Vec<(String, String)>,
}

impl Undo {
    pub(crate) fn new(action: String, fields: &[(&str, &str)]) -> Self {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self { action, fields: fields.collect() }
    }
}

impl Said {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), undo: None }
    }

    /// What a browser sends back may have been changed: an Undo stays within the console.
    pub(crate) fn is_ours(&self) -> bool {
        self.undo.as_ref().is_none_or(|undo| undo.action.starts_with("/console/"))
    }

    pub(crate) fn with_undo(mut self, undo: Undo) -> Self {
        self.undo = Some(undo);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cookie_is_found_among_others() {
        let headers = HeaderMap::from_iter([(
            header::COOKIE,
            HeaderValue::from_static("a=1; __Host-guildhall=x; b=2"),
        )]);
        assert_eq!((read(&headers, SESSION), read(&headers, SAID)), (Some("x"), None));
    }

    #[test]
    fn a_value_survives_the_browser_and_a_changed_one_is_nothing() {
        let said = Said::new("binding 7 added; \"ä\"").with_undo(Undo::new("/x".to_owned(), &[("id", "7")]));
        assert_eq!(unpack::<Said>(&pack(&said)), Some(said));
        assert_eq!(unpack::<Said>("???"), None);
        let undo = |action: &str| Said::new("x").with_undo(Undo::new(action.to_owned(), &[]));
        assert!(undo("/console/guilds/1").is_ours() && Said::new("x").is_ours());
        assert!(!undo("//other.example/").is_ours() && !undo("javascript:alert(1)").is_ours());
    }
}
