//! An answer of the API, whose envelope is checked by the rules of docs/rules.md 2, 3 and 8.

use reqwest::header::HeaderMap;
use serde_json::Value;

#[derive(Debug, Clone)]
pub struct Answer {
    pub what: String,
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    #[track_caller]
    pub fn number(&self, header: &str) -> u64 {
        let text = self.header(header).unwrap_or_else(|| panic!("{self}: no {header}"));
        text.parse().unwrap_or_else(|_| panic!("{self}: {header}: {text}"))
    }

    /// Asserts a 200 and returns `data`.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{self}");
        self.body["data"].clone()
    }

    /// Asserts the error's code, and that its message contains each of the words.
    #[track_caller]
    pub fn refused(self, code: u16, words: &[&str]) -> Self {
        assert_eq!(self.status, code, "{self}");
        for word in words {
            assert!(self.message().contains(word), "{self}: the message does not say {word:?}");
        }
        self
    }

    pub fn message(&self) -> &str {
        self.body["message"].as_str().unwrap_or_default()
    }

    pub fn error(&self) -> &str {
        self.body["error"].as_str().unwrap_or_default()
    }

    /// The body without its per-request parts.
    pub fn without_request_id(&self) -> Value {
        let mut body = self.body.clone();
        body.as_object_mut().unwrap().remove("request_id");
        body
    }

    pub(crate) fn check_envelope(&self) {
        let text = |field: &str| self.body[field].as_str().filter(|text| !text.is_empty());
        assert_eq!(
            self.header("content-type").map(|kind| kind.starts_with("application/json")),
            Some(true),
            "{self}"
        );
        assert_eq!(self.body["code"], self.status, "{self}");
        let request_id = self.header("x-request-id").unwrap_or_else(|| panic!("{self}: no X-Request-ID"));
        if self.status < 400 {
            assert_eq!(text("status"), Some("success"), "{self}");
            assert!(self.body.get("error").is_none(), "{self}");
            let is_limited = !self.what.contains("/play/webhooks");
            assert!(
                !is_limited || self.header("x-ratelimit-bucket").is_some(),
                "{self}: no X-RateLimit-Bucket"
            );
        } else {
            assert_eq!(text("status"), Some("error"), "{self}");
            assert!(text("message").is_some(), "{self}: no message");
            let word = text("error").unwrap_or_else(|| panic!("{self}: no error"));
            assert!(word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{self}: {word}");
            assert_eq!(text("request_id"), Some(request_id), "{self}");
        }
        self.check_limits();
        check_timestamps(&self.body, self);
    }

    fn check_limits(&self) {
        if self.header("x-ratelimit-bucket").is_some() {
            assert!(self.number("x-ratelimit-remaining") <= self.number("x-ratelimit-limit"), "{self}");
            assert!(self.number("x-ratelimit-reset-after") >= 1, "{self}");
        }
        if matches!(self.status, 429 | 502 | 503) {
            assert!(self.number("retry-after") >= 1, "{self}");
        }
        if self.status == 429 {
            assert_eq!(self.body["retry_after"], self.number("retry-after"), "{self}");
        }
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} {}", self.what, self.status, self.body)
    }
}

/// Every field `..._at` is null or UTC in whole seconds with a `Z`.
fn check_timestamps(value: &Value, answer: &Answer) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| check_timestamps(item, answer)),
        Value::Object(fields) => {
            for (name, value) in fields {
                if let Some(text) = value.as_str().filter(|_| name.ends_with("_at")) {
                    let shape: String =
                        text.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
                    assert_eq!(shape, "9999-99-99T99:99:99Z", "{answer}: {name}: {text}");
                }
                check_timestamps(value, answer);
            }
        }
        _ => {}
    }
}
