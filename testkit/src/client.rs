//! An API client that checks every answer: its envelope, and that the API documentation describes it.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, ClientBuilder, Method};
use serde_json::Value;

use crate::answer::Answer;
use crate::contract::contract;
use crate::wait::eventually;

const TIMEOUT: Duration = Duration::from_secs(40);

/// A key, an address and further headers; cheap to clone and change.
#[derive(Clone)]
pub struct Api {
    http: Client,
    base: String,
    headers: HeaderMap,
}

pub fn http_client() -> Client {
    http_builder().timeout(TIMEOUT).build().unwrap()
}

/// A client of plain HTTP. Reading the system's certificates would take longer than many a test.
pub fn http_builder() -> ClientBuilder {
    // Only the first call of a process installs the provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().tls_certs_only([])
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

    /// Waits until the key, which was valid, is refused.
    pub async fn key_ends(&self, within: Duration) -> Answer {
        eventually("the key is refused", within, async || {
            Some(self.get("/bindings/list").await).filter(|answer| answer.status == 401)
        })
        .await
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

    /// Any bytes under any content type; an empty content type sends none.
    pub async fn raw(&self, method: Method, path: &str, body: Option<(&str, Vec<u8>)>) -> Answer {
        let what = format!("{method} {path}");
        self.try_raw(method, path, body).await.unwrap_or_else(|error| panic!("{what}: {error:?}"))
    }

    /// For a caller whose server may die: the error is a broken connection.
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
