//! Cookies of the console. All are `__Host-`: only for this host, over TLS (or on the same machine), hidden
//! from scripts.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderValue, header};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub(crate) const SESSION: &str = "__Host-guildhall";
/// An attempt to sign in with the chat platform.
pub(crate) const ATTEMPT: &str = "__Host-guildhall-attempt";
/// The flash of the last form, for the page that follows. Browsers keep no cookie above 4,096 bytes, and
/// proxies take a line of 8 KiB with all cookies.
const SAID: [&str; 2] = ["__Host-guildhall-said", "__Host-guildhall-said-more"];
const PART_MAX: usize = 3_400;
/// How long a browser keeps it, in seconds.
const SAID_FOR: i64 = 60;

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

/// The result of the last form.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(crate) struct Flash {
    pub(crate) text: String,
    pub(crate) undo: Option<Undo>,
}

/// A form that undoes the last change.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(crate) struct Undo {
    pub(crate) action: String,
    #[serde(with = "by_name")]
    pub(crate) fields: Vec<(String, String)>,
}

/// Each name once, because a hundred boxes of one name would not fit a cookie.
mod by_name {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(fields: &[(String, String)], to: S) -> Result<S::Ok, S::Error> {
        let groups = fields.chunk_by(|one, other| one.0 == other.0);
        let groups =
            groups.map(|group| (&group[0].0, group.iter().map(|field| &field.1).collect::<Vec<_>>()));
        groups.collect::<Vec<_>>().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, String)>, D::Error> {
        let groups = Vec::<(String, Vec<String>)>::deserialize(from)?;
        let fields = |(name, values): (String, Vec<String>)| {
            values.into_iter().map(move |value| (name.clone(), value)).collect::<Vec<_>>()
        };
        Ok(groups.into_iter().flat_map(fields).collect())
    }
}

impl Undo {
    pub(crate) fn new(action: String, fields: &[(&str, &str)]) -> Self {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self { action, fields: fields.collect() }
    }
}

impl Flash {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), undo: None }
    }

    /// The browser may have changed the cookie: an Undo stays within the console.
    pub(crate) fn is_ours(&self) -> bool {
        self.undo.as_ref().is_none_or(|undo| undo.action.starts_with("/console/"))
    }

    pub(crate) fn with_undo(mut self, undo: Undo) -> Self {
        self.undo = Some(undo);
        self
    }
}

/// The cookies for it; without its Undo if that is too long for them.
pub(crate) fn set_flash(flash: Flash) -> Vec<HeaderValue> {
    let text = pack(&flash);
    let parts: Vec<&str> =
        text.as_bytes().chunks(PART_MAX).filter_map(|part| std::str::from_utf8(part).ok()).collect();
    if parts.len() > SAID.len() && flash.undo.is_some() {
        return set_flash(Flash { undo: None, ..flash });
    }
    let count = parts.len();
    // A part of an older message may still be there: the count says whether it belongs to this one.
    let part =
        |(n, part): (usize, &&str)| if n == 0 { format!("{count}.{part}") } else { (*part).to_owned() };
    let values = parts.iter().enumerate().map(part);
    SAID.iter().zip(values).filter_map(|(name, value)| set(name, &value, SAID_FOR)).collect()
}

pub(crate) fn flash(headers: &HeaderMap) -> Option<Flash> {
    let (count, first) = read(headers, SAID[0])?.split_once('.')?;
    let more = SAID.iter().take(count.parse().ok()?).skip(1);
    let more: Option<String> = more.map(|name| read(headers, name)).collect();
    unpack(&format!("{first}{}", more?)).filter(Flash::is_ours)
}

pub(crate) fn clear_flash(headers: &HeaderMap) -> Vec<HeaderValue> {
    SAID.iter().filter(|name| read(headers, name).is_some()).filter_map(|name| forget(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent_back(cookies: &[HeaderValue]) -> HeaderMap {
        let pairs = cookies.iter().map(|line| line.to_str().unwrap().split(';').next().unwrap());
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, pairs.collect::<Vec<_>>().join("; ").parse().unwrap());
        headers
    }

    #[test]
    fn a_long_undo_survives_the_browser_and_one_that_is_too_long_is_left_out() {
        let undo = |length| Undo::new("/console/x".to_owned(), &[("reason", &"x".repeat(length))]);
        for (length, cookies) in [(10, 1), (4_000, 2)] {
            let long = Flash::new("Done.").with_undo(undo(length));
            let set = set_flash(long.clone());
            assert_eq!((set.len(), flash(&sent_back(&set))), (cookies, Some(long)));
            assert!(set.iter().all(|line| line.len() < 4_096));
            assert_eq!(clear_flash(&sent_back(&set)).len(), cookies);
        }
        let too_long = Flash::new("Done.").with_undo(undo(20_000));
        assert_eq!(flash(&sent_back(&set_flash(too_long))), Some(Flash::new("Done.")));
    }

    #[test]
    fn one_cookie_is_found_among_others() {
        let headers = HeaderMap::from_iter([(
            header::COOKIE,
            HeaderValue::from_static("a=1; __Host-guildhall=x; b=2"),
        )]);
        assert_eq!((read(&headers, SESSION), read(&headers, SAID[0])), (Some("x"), None));
    }

    #[test]
    fn a_value_survives_the_browser_and_a_changed_one_is_nothing() {
        let flash =
            Flash::new("binding 7 added; \"ä\"").with_undo(Undo::new("/x".to_owned(), &[("id", "7")]));
        assert_eq!(unpack::<Flash>(&pack(&flash)), Some(flash));
        assert_eq!(unpack::<Flash>("???"), None);
        let undo = |action: &str| Flash::new("x").with_undo(Undo::new(action.to_owned(), &[]));
        assert!(undo("/console/guilds/1").is_ours() && Flash::new("x").is_ours());
        assert!(!undo("//other.example/").is_ours() && !undo("javascript:alert(1)").is_ours());
    }
}
