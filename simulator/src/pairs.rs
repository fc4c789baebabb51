//! The pairs of a query, or of a form in a body.

use std::collections::HashMap;

use percent_encoding::percent_decode_str;

/// Of a name given twice the last value counts.
pub(crate) fn pairs(raw: &str) -> HashMap<String, String> {
    all_pairs(raw).collect()
}

/// In their order.
pub(crate) fn all_pairs(raw: &str) -> impl Iterator<Item = (String, String)> {
    let decoded = |text: &str| {
        let text = text.replace('+', " ");
        percent_decode_str(&text).decode_utf8_lossy().into_owned()
    };
    let pairs = raw.split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).map(move |(k, v)| (decoded(k), decoded(v)))
}
