//! What a URL holds: the parameters of the path, and the query string.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;

use crate::request::body::NAME_SHOWN;
use crate::request::parts::{Sent, Source};
use crate::response::error::ApiError;

/// The parameters of a path, decoded.
#[derive(Debug, Clone, Default)]
pub(crate) struct Params(Vec<(String, String)>);

impl Params {
    pub(crate) fn decode<'p>(found: impl Iterator<Item = (&'p str, &'p str)>) -> Result<Self, ApiError> {
        let decode = |(name, raw): (&str, &str)| {
            let text = decoded(raw);
            let text = text.ok_or_else(|| ApiError::field(name, &raw.into(), "valid UTF-8 without NUL"))?;
            Ok((name.to_owned(), text))
        };
        found.map(decode).collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

impl Source for Params {
    /// A missing parameter is the empty id of a server.
    fn find(&self, name: &str) -> Option<Sent<'_>> {
        Some(Sent::Text(self.get(name).unwrap_or_default()))
    }
}

/// Of a repeated parameter the last value counts; an empty one counts as absent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn parse(raw: &str) -> Result<Self, ApiError> {
        let pairs = raw.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = spaced("query", name)?;
            let value = spaced(&name, value)?;
            Ok((name, value))
        });
        pairs.collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.given(name).filter(|value| !value.is_empty())
    }

    /// The same for every query that is read as the same; begins with `?` unless there is none.
    pub(crate) fn canonical(&self) -> String {
        let last: BTreeMap<&str, &str> =
            self.0.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let given = last.into_iter().filter(|(_, value)| !value.is_empty());
        let given: Vec<String> = given.map(|pair| format!("{pair:?}")).collect();
        if given.is_empty() { String::new() } else { format!("?{}", given.concat()) }
    }

    /// Like [`text`](Self::text), for a parameter that may be empty.
    pub(crate) fn given(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

impl Source for Query {
    fn find(&self, name: &str) -> Option<Sent<'_>> {
        self.given(name).map(Sent::Text)
    }
}

/// `name` is the parameter's, for the error.
fn spaced(name: &str, raw: &str) -> Result<String, ApiError> {
    let refused = || {
        let name: String = name.escape_debug().take(NAME_SHOWN).collect();
        ApiError::field(&name, &raw.into(), "percent-encoded UTF-8 without NUL")
    };
    decoded(&raw.replace('+', " ")).ok_or_else(refused)
}

fn decoded(raw: &str) -> Option<String> {
    let text = percent_decode_str(raw).decode_utf8().ok()?;
    (!text.contains('\0')).then(|| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_and_the_last_one_counts() {
        let query = Query::parse("limit=5&action=a%2Eb+c&limit=7&empty=&flag").unwrap();
        assert_eq!(query.text("limit"), Some("7"));
        assert_eq!(query.text("action"), Some("a.b c"));
        assert_eq!((query.text("empty"), query.text("flag"), query.text("none")), (None, None, None));
    }

    #[test]
    fn what_is_read_as_the_same_is_the_same() {
        let canonical = |raw: &str| Query::parse(raw).unwrap().canonical();
        assert_eq!(canonical("a=%31&b=2"), canonical("b=2&a=0&c=&a=1&&"));
        assert_eq!(canonical("a="), "");
        for other in ["a=1", "a=2&b=1", "a=1%22b=2", "a=1&b=2&c=3"] {
            assert_ne!(canonical(other), canonical("a=1&b=2"), "{other}");
        }
    }

    #[test]
    fn invalid_utf8_is_refused() {
        for (raw, named) in [("b=1&a=%ff", "`a` must"), ("a=%00", "`a` must"), ("a%00=1", "`query` must")] {
            let error = Query::parse(raw).unwrap_err();
            assert!(error.parts().message.starts_with(named), "{raw}: {}", error.parts().message);
        }
    }
}
