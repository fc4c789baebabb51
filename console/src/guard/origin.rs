//! The page that a request comes from, by the headers of the browser.

use http::{HeaderMap, HeaderValue, header};

/// Whether, by the browser's headers, a request comes from a page of this host, or from an address that a
/// person typed.
///
/// Old browsers send neither header; then the form's token alone decides.
pub(crate) fn is_same_origin(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or("?"));
    if let Some(site) = text(header::HeaderName::from_static("sec-fetch-site")) {
        return matches!(site, "same-origin" | "none");
    }
    match (text(header::ORIGIN), text(header::HOST)) {
        (None, _) => true,
        (Some(origin), Some(host)) => {
            let authority = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
            authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
        }
        (Some(_), None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn a_request_of_another_site_is_recognized() {
        for own in [
            [].as_slice(),
            &[("sec-fetch-site", "same-origin"), ("origin", "https://proxy.example")],
            &[("sec-fetch-site", "none")],
            &[("origin", "https://a.example"), ("host", "a.example")],
            &[("origin", "http://127.0.0.1:8080"), ("host", "127.0.0.1:8080")],
        ] {
            assert!(is_same_origin(&headers(own)), "{own:?}");
        }
        for foreign in [
            [("sec-fetch-site", "cross-site")].as_slice(),
            &[("sec-fetch-site", "same-site")],
            &[("origin", "https://b.example"), ("host", "a.example")],
            &[("origin", "https://a.example:444"), ("host", "a.example")],
            &[("origin", "null"), ("host", "a.example")],
            &[("origin", "https://a.example")],
        ] {
            assert!(!is_same_origin(&headers(foreign)), "{foreign:?}");
        }
    }
}
