//! The result of the last form, which the next page shows: a cookie of the browser keeps it until then.

use http::{HeaderMap, HeaderValue};
use serde::{Deserialize, Serialize};

use crate::guard::cookies;

/// Browsers keep no cookie above 4,096 bytes, and proxies take a line of 8 KiB with all cookies.
const COOKIES: [&str; 2] = ["__Host-guildhall-said", "__Host-guildhall-said-more"];
const PART_MAX: usize = 3_400;
/// How long a browser keeps them.
const SECONDS: i64 = 60;

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
pub(crate) fn set(flash: Flash) -> Vec<HeaderValue> {
    let text = cookies::pack(&flash);
    let parts: Vec<&str> =
        text.as_bytes().chunks(PART_MAX).filter_map(|part| std::str::from_utf8(part).ok()).collect();
    if parts.len() > COOKIES.len() && flash.undo.is_some() {
        return set(Flash { undo: None, ..flash });
    }
    let count = parts.len();
    // A part of an older message may still be there: the count says whether it belongs to this one.
    let part =
        |(n, part): (usize, &&str)| if n == 0 { format!("{count}.{part}") } else { (*part).to_owned() };
    let values = parts.iter().enumerate().map(part);
    COOKIES.iter().zip(values).filter_map(|(name, value)| cookies::set(name, &value, SECONDS)).collect()
}

pub(crate) fn read(headers: &HeaderMap) -> Option<Flash> {
    let (count, first) = cookies::read(headers, COOKIES[0])?.split_once('.')?;
    let more = COOKIES.iter().take(count.parse().ok()?).skip(1);
    let more: Option<String> = more.map(|name| cookies::read(headers, name)).collect();
    cookies::unpack(&format!("{first}{}", more?)).filter(Flash::is_ours)
}

pub(crate) fn forget(headers: &HeaderMap) -> Vec<HeaderValue> {
    COOKIES
        .iter()
        .filter(|name| cookies::read(headers, name).is_some())
        .filter_map(|name| cookies::forget(name))
        .collect()
}

#[cfg(test)]
mod tests {
    use http::header;

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
            let lines = set(long.clone());
            assert_eq!((lines.len(), read(&sent_back(&lines))), (cookies, Some(long)));
            assert!(lines.iter().all(|line| line.len() < 4_096));
            assert_eq!(forget(&sent_back(&lines)).len(), cookies);
        }
        let too_long = Flash::new("Done.").with_undo(undo(20_000));
        assert_eq!(read(&sent_back(&set(too_long))), Some(Flash::new("Done.")));
    }

    #[test]
    fn a_value_survives_the_browser_and_a_changed_one_is_nothing() {
        let flash =
            Flash::new("binding 7 added; \"ä\"").with_undo(Undo::new("/x".to_owned(), &[("id", "7")]));
        assert_eq!(cookies::unpack::<Flash>(&cookies::pack(&flash)), Some(flash));
        assert_eq!(cookies::unpack::<Flash>("???"), None);
        let undo = |action: &str| Flash::new("x").with_undo(Undo::new(action.to_owned(), &[]));
        assert!(undo("/console/guilds/1").is_ours() && Flash::new("x").is_ours());
        assert!(!undo("//other.example/").is_ours() && !undo("javascript:alert(1)").is_ours());
    }
}
