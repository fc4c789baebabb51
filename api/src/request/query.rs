//! Query strings. Of a repeated parameter the last value counts; an empty one counts as absent.

use percent_encoding::percent_decode_str;

use crate::request::parts::{Sent, Source};
use crate::response::error::ApiError;

#[derive(Debug, Clone, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn parse(raw: &str) -> Result<Self, ApiError> {
        let pairs = raw.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decoded(name)?, decoded(value)?))
        });
        pairs.collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.given(name).filter(|value| !value.is_empty())
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

fn decoded(raw: &str) -> Result<String, ApiError> {
    let spaced = raw.replace('+', " ");
    let text = percent_decode_str(&spaced).decode_utf8().ok().filter(|text| !text.contains('\0'));
    text.map(std::borrow::Cow::into_owned)
        .ok_or_else(|| ApiError::field("query", &raw.into(), "percent-encoded UTF-8 without NUL"))
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
    fn invalid_utf8_is_refused() {
        assert!(Query::parse("a=%ff").is_err());
        assert!(Query::parse("a=%00").is_err());
    }
}
