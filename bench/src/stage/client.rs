//! A client of the API that checks every single answer: its envelope (docs/rules.md 2 and 3 and 8), and that
//! it is one the documentation describes.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method};
use serde_json::Value;

use super::contract::contract;

const TIMEOUT: Duration = Duration::from_secs(40);

/// A key, an address and what else goes into the headers; cheap to clone and change.
#[derive(Clone)]
pub struct Api {
    http: Client,
    base: String,
    headers: HeaderMap,
}

/// An answer whose envelope was checked.
#[derive(Debug, Clone)]
pub struct Answer {
    pub what: String,
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
}

pub fn http_client() -> Client {
    // Only the first call of a process installs it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().timeout(TIMEOUT).build().unwrap()
}

impl Api {
    pub fn new(base: &str) -> Self {
        Self { http: http_client(), base: base.to_owned(), headers: HeaderMap::new() }
    }

    #[must_use]
    pub fn header(&self, name: &str, value: &str) -> Self {
        let mut changed = self.clone();
        let name: HeaderName = name.parse().unwrap();
        changed.headers.insert(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        changed
    }

    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        let mut changed = self.clone();
        changed.headers.remove(name);
        changed
    }

    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.header("x-api-key", key)
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body)).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PATCH, path, Some(body)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None).await
    }

    pub async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        let body = body.map(|body| ("application/json", body.to_string().into_bytes()));
        self.raw(method, path, body).await
    }

    /// Any bytes under any content type; an empty one sends none.
    pub async fn raw(&self, method: Method, path: &str, body: Option<(&str, Vec<u8>)>) -> Answer {
        let what = format!("{method} {path}");
        self.try_raw(method, path, body).await.unwrap_or_else(|error| panic!("{what}: {error:?}"))
    }

    /// For a caller whose server may die: the error is a connection that broke off.
    pub async fn try_post(&self, path: &str, body: Value) -> Result<Answer, reqwest::Error> {
        self.try_raw(Method::POST, path, Some(("application/json", body.to_string().into_bytes()))).await
    }

    async fn try_raw(
        &self,
        method: Method,
        path: &str,
        body: Option<(&str, Vec<u8>)>,
    ) -> Result<Answer, reqwest::Error> {
        let contract = contract(&self.http, &self.base).await;
        let mut request =
            self.http.request(method.clone(), format!("{}{path}", self.base)).headers(self.headers.clone());
        if let Some((content_type, bytes)) = body {
            if !content_type.is_empty() {
                request = request.header("content-type", content_type);
            }
            request = request.body(bytes);
        }
        let what = format!("{method} {path}");
        let response = request.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await?;
        let body =
            serde_json::from_str(&text).unwrap_or_else(|_| panic!("{what}: {status}: not JSON: {text}"));
        let answer = Answer { what, status, headers, body };
        answer.check_envelope();
        contract.check(method.as_str(), path, &answer);
        Ok(answer)
    }
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

    /// Asserts the error's code, and that its message says each of the words.
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

    /// The body without what differs from request to request.
    pub fn without_request_id(&self) -> Value {
        let mut body = self.body.clone();
        body.as_object_mut().unwrap().remove("request_id");
        body
    }

    fn check_envelope(&self) {
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
            assert!(self.header("x-ratelimit-bucket").is_some(), "{self}: no X-RateLimit-Bucket");
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

/// Whatever is called `..._at` is null or UTC in whole seconds with a `Z`.
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
