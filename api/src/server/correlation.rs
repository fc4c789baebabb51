//! The ids by which a client finds its request again: `X-Request-ID` in answers, logs and the audit log, `traceparent` in traces.

use std::sync::Arc;

use http::{HeaderMap, HeaderName};

pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
/// Maximum characters of a client's request id.
const REQUEST_ID_MAX: usize = 64;

/// Two of them say nothing.
pub(crate) fn traceparent(headers: &HeaderMap) -> Option<&str> {
    let mut sent = headers.get_all(TRACEPARENT).iter();
    let first = sent.next().filter(|_| sent.next().is_none());
    first?.to_str().ok()
}

/// The client's request id if it has 1 to 64 letters, digits, dots, dashes and underscores, else a new one.
pub(crate) fn request_id(headers: &HeaderMap) -> Arc<str> {
    let mut values = headers.get_all(REQUEST_ID).iter();
    let first = values.next().filter(|first| values.all(|other| other == *first));
    let sent = first.and_then(|value| value.to_str().ok());
    let new = || uuid::Uuid::now_v7().simple().encode_lower(&mut uuid::Uuid::encode_buffer()).into();
    sent.filter(|id| is_sane(id)).map_or_else(new, Arc::from)
}

fn is_sane(id: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    (1..=REQUEST_ID_MAX).contains(&id.len()) && id.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_request_ids_are_kept_and_others_replaced() {
        let id = |sent: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, sent.parse().unwrap());
            request_id(&headers)
        };
        assert_eq!(&*id("trace-1.A_b"), "trace-1.A_b");
        for bad in ["", "a b", "a;b", &"x".repeat(65)] {
            assert_eq!(id(bad).len(), 32, "{bad:?}");
        }
    }
}
