//! The HTTP client of the demo, for its own API and simulator.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, bail};
use entities::key_text::KeyText;
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, RequestBuilder};
use serde_json::Value;

const TIMEOUT: Duration = Duration::from_secs(30);

pub(super) struct HttpClient {
    pub(super) base: String,
    client: Client,
}

/// The URL under which this machine reaches a listening address.
pub(super) fn local_url(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => format!("http://127.0.0.1:{}", v4.port()),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => format!("http://[::1]:{}", v6.port()),
        other => format!("http://{other}"),
    }
}

impl HttpClient {
    pub(super) fn new(base: String, key: Option<&KeyText>) -> anyhow::Result<Self> {
        // A client with TLS needs a provider, even if it uses plain HTTP only.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut headers = HeaderMap::new();
        if let Some(key) = key {
            headers.insert("x-api-key", HeaderValue::from_str(&key.reveal())?);
        }
        let client = Client::builder().no_proxy().timeout(TIMEOUT).default_headers(headers).build()?;
        Ok(Self { base, client })
    }

    pub(super) async fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.send(self.client.get(self.url(path)), path).await
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.send(self.client.post(self.url(path)).json(body), path).await
    }

    pub(super) async fn patch(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.send(self.client.patch(self.url(path)).json(body), path).await
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    async fn send(&self, request: RequestBuilder, path: &str) -> anyhow::Result<Value> {
        let response = request.send().await.with_context(|| format!("{path} got no response"))?;
        let status = response.status();
        let text = response.text().await.with_context(|| format!("the answer of {path} is incomplete"))?;
        // The control side of the simulator answers changes without a body.
        let body = if text.is_empty() { Ok(Value::Null) } else { serde_json::from_str(&text) };
        let body = body.with_context(|| format!("{path} answered {status} without JSON"))?;
        if !status.is_success() {
            bail!("{path} answered {status}: {body}");
        }
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unspecified_address_is_reached_over_loopback() {
        for (address, url) in [
            ("0.0.0.0:80", "http://127.0.0.1:80"),
            ("[::]:80", "http://[::1]:80"),
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        ] {
            assert_eq!(local_url(address.parse().unwrap()), url);
        }
    }
}
