//! `ETag` and `If-None-Match` (RFC 9110): a client with a current copy gets a 304 without a body.

use http::{HeaderMap, header};

/// The tags of the client's cached responses.
#[derive(Debug, Clone, Default)]
pub(crate) struct IfNoneMatch(Vec<String>);

impl IfNoneMatch {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let values = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        Self(values.flat_map(|value| value.split(',')).map(|tag| tag.trim().to_owned()).collect())
    }

    /// Weak comparison, as the RFC requires for this header.
    pub(crate) fn has(&self, tag: &str) -> bool {
        self.0.iter().any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(value: &str) -> IfNoneMatch {
        IfNoneMatch::of(&HeaderMap::from_iter([(header::IF_NONE_MATCH, value.parse().unwrap())]))
    }

    #[test]
    fn any_of_the_tags_matches_weak_ones_too() {
        for fine in ["\"7-2\"", "W/\"7-2\"", "\"1-1\" , \"7-2\"", "*"] {
            assert!(sent(fine).has("\"7-2\""), "{fine}");
        }
        for other in ["\"7-3\"", "7-2", "", "\"7-2"] {
            assert!(!sent(other).has("\"7-2\""), "{other}");
        }
        assert!(!IfNoneMatch::default().has("\"7-2\""));
    }
}
