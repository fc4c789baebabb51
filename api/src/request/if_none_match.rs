//! `ETag` and `If-None-Match` (RFC 9110): a client with a current copy gets a 304 without a body.

use http::{HeaderMap, header};

/// Whether the client has cached the response with this tag. Weak comparison, as the RFC requires for this header.
pub(crate) fn has(headers: &HeaderMap, tag: &str) -> bool {
    let values = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = values.flat_map(|value| value.split(',')).map(str::trim);
    tags.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

pub(crate) fn is_sent(headers: &HeaderMap) -> bool {
    headers.contains_key(header::IF_NONE_MATCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has_tag(value: &str) -> bool {
        has(&HeaderMap::from_iter([(header::IF_NONE_MATCH, value.parse().unwrap())]), "\"7-2\"")
    }

    #[test]
    fn any_of_the_tags_matches_weak_ones_too() {
        for fine in ["\"7-2\"", "W/\"7-2\"", "\"1-1\" , \"7-2\"", "*"] {
            assert!(has_tag(fine), "{fine}");
        }
        for other in ["\"7-3\"", "7-2", "", "\"7-2"] {
            assert!(!has_tag(other), "{other}");
        }
        assert!(!has(&HeaderMap::new(), "\"7-2\""));
    }
}
