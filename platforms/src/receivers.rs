//! The hosts that take the webhooks of guilds (docs/rules.md 14): signed as Standard Webhooks defines it, without redirects, and
//! never to the operator's own network, unless they allow it.
//!
//! Guilds choose these hosts. So the address that is connected to is the one that was checked, and nothing of the answer but
//! its status is read.

mod address;

use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use reqwest::{Client, Url, redirect};
use standardwebhooks::{
    HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Webhook, WebhookError,
};

use crate::error::Result;
use crate::exchange::{built, without_tls};
use address::{Allowed, Refused, Resolver};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Until the status is there.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(15);

/// The clients of receivers. Cheap to clone.
#[derive(Clone)]
pub struct Receivers {
    with_tls: Door,
    /// Only to the operator's networks.
    without_tls: Door,
}

/// A client, and where it may connect to.
#[derive(Clone)]
struct Door {
    client: Client,
    allowed: Allowed,
}

/// A message for a receiver.
#[derive(Debug)]
pub struct Message<'m> {
    pub id: &'m str,
    /// When it is sent, in Unix seconds: receivers refuse old ones.
    pub at: i64,
    pub body: String,
}

/// Why there is no status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreached {
    #[error("its URL is not one that webhooks may be sent to")]
    Url,
    #[error("its host is in a private network, which the operator of this service does not allow")]
    Private,
    #[error("its host has no address")]
    Unknown,
    #[error("no answer within 15 seconds")]
    Slow,
    #[error("no connection")]
    NoConnection,
    #[error("the connection broke")]
    Broken,
}

impl Receivers {
    pub(crate) fn new(private: &[IpNet], agent: &str) -> Result<Self> {
        let private: Arc<[IpNet]> = private.into();
        let door = |public: bool| {
            let allowed = Allowed { public, private: Arc::clone(&private) };
            let client = Client::builder()
                .connect_timeout(CONNECT_TIMEOUT)
                .timeout(TOTAL_TIMEOUT)
                .redirect(redirect::Policy::none())
                // A proxy would look names up by itself.
                .no_proxy()
                .dns_resolver(Resolver(allowed.clone()))
                .user_agent(agent);
            let client = if public { client } else { without_tls(client) };
            Ok(Door { client: built(client)?, allowed })
        };
        Ok(Self { with_tls: door(true)?, without_tls: door(false)? })
    }

    /// Checks a URL as far as it can be without asking for its host's address.
    pub fn check(&self, url: &str) -> Result<(), Unreached> {
        self.target(url).map(drop)
    }

    /// Posts a message, with a signature of each secret, and returns the status of the answer.
    pub async fn post<'s>(
        &self,
        url: &str,
        secrets: impl Iterator<Item = &'s str>,
        message: Message<'_>,
    ) -> Result<u16, Unreached> {
        let (client, url) = self.target(url)?;
        let Message { id, at, body } = message;
        let sign = |secret| Webhook::new(secret)?.sign(id, at, body.as_bytes());
        let signatures: Vec<String> =
            secrets.map(sign).collect::<Result<_, WebhookError>>().map_err(|error| {
                tracing::error!(%error, "a webhook cannot be signed: a bug");
                Unreached::Url
            })?;
        let request = client
            .post(url)
            .header("content-type", "application/json")
            .header(HEADER_WEBHOOK_ID, id)
            .header(HEADER_WEBHOOK_TIMESTAMP, at)
            .header(HEADER_WEBHOOK_SIGNATURE, signatures.join(" "))
            .body(body);
        Box::pin(request.send()).await.map(|answer| answer.status().as_u16()).map_err(|error| cause(&error))
    }

    /// The client of a URL. An address in the URL itself is checked here: nobody resolves it.
    fn target(&self, url: &str) -> Result<(&Client, Url), Unreached> {
        let url = Url::parse(url).map_err(|_| Unreached::Url)?;
        let Door { client, allowed } = match url.scheme() {
            "https" => &self.with_tls,
            "http" if self.without_tls.allowed.any() => &self.without_tls,
            _ => return Err(Unreached::Url),
        };
        let named = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        let host = url.host_str().filter(|_| named).ok_or(Unreached::Url)?;
        match host.trim_start_matches('[').trim_end_matches(']').parse() {
            Ok(address) if !allowed.has(address) => Err(Unreached::Private),
            _ => Ok((client, url)),
        }
    }
}

fn cause(error: &reqwest::Error) -> Unreached {
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        if let Some(refused) = inner.downcast_ref::<Refused>() {
            return match refused {
                Refused::Private => Unreached::Private,
                Refused::Unknown => Unreached::Unknown,
            };
        }
        source = inner.source();
    }
    if error.is_timeout() {
        Unreached::Slow
    } else if error.is_connect() {
        Unreached::NoConnection
    } else {
        Unreached::Broken
    }
}

#[cfg(test)]
mod tests;
