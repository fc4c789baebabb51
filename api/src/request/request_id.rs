//! The request's id in the log: the client's if it is valid, else a new one.

use http::HeaderMap;

pub(crate) const HEADER: &str = "x-request-id";
const MAX: usize = 64;

/// 1 to 64 letters, digits, dots, dashes and underscores are accepted.
pub(crate) fn of(headers: &HeaderMap) -> String {
    let mut values = headers.get_all(HEADER).iter();
    let first = values.next().filter(|first| values.all(|other| other == *first));
    let sent = first.and_then(|value| value.to_str().ok());
    sent.filter(|id| is_sane(id)).map_or_else(|| uuid::Uuid::now_v7().simple().to_string(), str::to_owned)
}

fn is_sane(id: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    (1..=MAX).contains(&id.len()) && id.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_request_ids_are_kept_and_others_replaced() {
        let id = |sent: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(HEADER, sent.parse().unwrap());
            of(&headers)
        };
        assert_eq!(id("trace-1.A_b"), "trace-1.A_b");
        for bad in ["", "a b", "a;b", &"x".repeat(65)] {
            assert_eq!(id(bad).len(), 32, "{bad:?}");
        }
    }
}
