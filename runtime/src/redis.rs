//! One multiplexed Redis connection for the process, with a circuit breaker: with a dead Redis one request
//! waits for its timeout, all others get [`RedisDown`] at once. Reconnects run in the background, never in a
//! request.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use redis::aio::{ConnectionLike, MultiplexedConnection, PubSub};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, FromRedisValue, Pipeline, RedisError, RedisFuture,
    ScriptInvocation, ServerErrorKind, Value,
};
use tokio::time::Instant;

use crate::error::StartError;
use crate::settings::REDIS_URL;

pub(crate) const COMMAND_TIMEOUT: Duration = Duration::from_millis(500);
/// After a failed attempt to connect all requests are refused for this long; the next one then starts another attempt.
const RECONNECT_PAUSE: Duration = Duration::from_secs(1);
/// Timeout of the first connection of a process.
const START_TIMEOUT: Duration = Duration::from_secs(5);

/// A replica's reply to a write.
const READ_ONLY: ErrorKind = ErrorKind::Server(ServerErrorKind::ReadOnly);

/// Redis is unavailable. The cause is logged once for each outage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("redis is not reachable")]
pub struct RedisDown;

#[derive(Clone)]
pub struct Redis(Arc<Inner>);

struct Inner {
    client: Client,
    prefix: String,
    target: String,
    connection: Mutex<Connection>,
}

struct Connection {
    state: State,
    /// Incremented with each new connection, so that a late error of an old one does not close its successor.
    generation: u64,
}

enum State {
    Up(MultiplexedConnection),
    Down { until: Instant },
    Dialing,
}

impl Redis {
    /// Connects and pings, so that a wrong URL or password is found at startup. A stalled Redis is retried.
    pub async fn connect(url: &str, prefix: &str) -> Result<Self, StartError> {
        let redis = Self::lazy(url, prefix)?;
        let dialing = async {
            loop {
                match redis.0.dial().await {
                    Err(error) if error.is_timeout() => {}
                    dialed => return dialed,
                }
            }
        };
        let connection = match tokio::time::timeout(START_TIMEOUT, dialing).await {
            Ok(Ok(connection)) => connection,
            Ok(Err(error)) => return Err(redis.0.explain(&error)),
            Err(_) => return Err(redis.0.unreachable("no answer within 5 s".to_owned())),
        };
        redis.0.settle(Ok(connection));
        Ok(redis)
    }

    /// Validates the URL only; the first use connects.
    pub fn lazy(url: &str, prefix: &str) -> Result<Self, StartError> {
        let client = check_url(url)?;
        let target = client.get_connection_info().addr().to_string();
        let connection =
            Mutex::new(Connection { state: State::Down { until: Instant::now() }, generation: 0 });
        Ok(Self(Arc::new(Inner { client, prefix: prefix.to_owned(), target, connection })))
    }

    /// The connection, or [`RedisDown`] at once. Cheap: call it for each use.
    #[expect(clippy::unused_async, reason = "async is part of the interface, although today it never waits")]
    pub async fn connection(&self) -> Result<RedisConnection, RedisDown> {
        let mut current = self.0.lock();
        match &current.state {
            State::Up(inner) => {
                let (inner, generation) = (inner.clone(), current.generation);
                Ok(RedisConnection { inner, generation, redis: Arc::clone(&self.0) })
            }
            State::Down { until } if *until <= Instant::now() => {
                current.state = State::Dialing;
                self.0.redial();
                Err(RedisDown)
            }
            State::Down { .. } | State::Dialing => Err(RedisDown),
        }
    }

    /// A prefixed key: `<prefix>:<suffix>`.
    pub fn key(&self, suffix: &str) -> String {
        format!("{}:{suffix}", self.0.prefix)
    }

    pub async fn ping(&self) -> bool {
        let Ok(mut connection) = self.connection().await else { return false };
        redis::cmd("PING").query_async::<()>(&mut connection).await.is_ok()
    }

    /// Redis has just answered elsewhere: a connection that is lost is replaced now, not at its next use.
    pub(crate) async fn reconnect_if_lost(&self) {
        self.ping().await;
        let mut current = self.0.lock();
        if matches!(current.state, State::Down { .. }) {
            current.state = State::Dialing;
            self.0.redial();
        }
    }

    pub(crate) async fn invoke<T: FromRedisValue>(
        &self,
        call: &ScriptInvocation<'_>,
    ) -> Result<T, RedisDown> {
        let mut connection = self.connection().await?;
        call.invoke_async(&mut connection).await.map_err(|error| {
            tracing::debug!(%error, "a script failed");
            RedisDown
        })
    }

    /// The time of day on the server's clock.
    pub async fn time(&self) -> Result<DateTime<Utc>, RedisDown> {
        let mut connection = self.connection().await?;
        let asked = redis::cmd("TIME").query_async::<(i64, u32)>(&mut connection).await;
        let (seconds, micros) = asked.map_err(|_| RedisDown)?;
        DateTime::from_timestamp(seconds, micros.saturating_mul(1_000)).ok_or(RedisDown)
    }

    /// A dedicated connection for a subscription.
    pub(crate) async fn pubsub(&self) -> Result<PubSub, RedisError> {
        match tokio::time::timeout(START_TIMEOUT, self.0.client.get_async_pubsub()).await {
            Ok(opened) => opened,
            Err(_) => Err((ErrorKind::Io, "no answer within 5 s").into()),
        }
    }
}

fn is_replica(role: &Value) -> bool {
    let Value::Array(parts) = role else { return false };
    match parts.first() {
        Some(Value::BulkString(role)) => role.as_slice() == b"slave",
        Some(Value::SimpleString(role)) => role == "slave",
        _ => false,
    }
}

pub(crate) fn check_url(url: &str) -> Result<Client, StartError> {
    Client::open(url).map_err(|error| {
        let why = error.category();
        let problem =
            format!("is not a usable Redis URL ({why}); the form is redis://user:password@host:6379/0");
        StartError::setting(REDIS_URL, problem)
    })
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn dial(&self) -> Result<MultiplexedConnection, RedisError> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(COMMAND_TIMEOUT))
            .set_response_timeout(Some(COMMAND_TIMEOUT));
        let mut connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
        // A demoted primary answers as before, except for writes. Where the query is not permitted, the first write
        // detects it.
        match redis::cmd("ROLE").query_async::<Value>(&mut connection).await {
            Ok(role) if is_replica(&role) => Err((READ_ONLY, "it is a replica, and takes no writes").into()),
            _ => Ok(connection),
        }
    }

    /// In the background: no request waits for it.
    fn redial(self: &Arc<Self>) {
        let redis = Arc::clone(self);
        tokio::spawn(async move {
            let dialed = redis.dial().await;
            redis.settle(dialed);
        });
    }

    fn settle(&self, dialed: Result<MultiplexedConnection, RedisError>) {
        let mut current = self.lock();
        match dialed {
            Ok(connection) => {
                current.generation += 1;
                current.state = State::Up(connection);
                tracing::info!(redis.address = self.target, "redis is connected");
            }
            Err(error) => {
                current.state = State::Down { until: Instant::now() + RECONNECT_PAUSE };
                tracing::debug!(redis.address = self.target, %error, "redis is still down");
            }
        }
    }

    /// A network error opens the circuit; an error reply of Redis does not, with one exception: the connection to a
    /// primary that became a replica is closed, because the name may resolve to the new primary by now. A new
    /// connection is tried at once, so that a mere restart of Redis costs milliseconds.
    fn observe(self: &Arc<Self>, generation: u64, error: &RedisError) {
        let demoted = error.kind() == READ_ONLY;
        if !(demoted || error.is_io_error() || error.is_timeout() || error.is_unrecoverable_error()) {
            return;
        }
        let mut current = self.lock();
        if current.generation == generation && matches!(current.state, State::Up(_)) {
            current.state = State::Dialing;
            self.redial();
            metrics::counter!("guildhall_redis_outages_total").increment(1);
            tracing::warn!(redis.address = self.target, %error, "redis is down");
        }
    }

    fn unreachable(&self, reason: String) -> StartError {
        StartError::Unreachable { what: "Redis", target: self.target.clone(), reason, variable: REDIS_URL }
    }

    fn explain(&self, error: &RedisError) -> StartError {
        let reason = error.detail().unwrap_or_else(|| error.category()).to_owned();
        let refused = error.kind() == ErrorKind::AuthenticationFailed || error.code() == Some("NOAUTH");
        if refused {
            return StartError::Credentials {
                what: "Redis",
                target: self.target.clone(),
                reason,
                variable: REDIS_URL,
            };
        }
        self.unreachable(if error.is_io_error() { error.to_string() } else { reason })
    }
}

/// A handle on the shared connection that opens the circuit on a network error.
#[derive(Clone)]
pub struct RedisConnection {
    inner: MultiplexedConnection,
    generation: u64,
    redis: Arc<Inner>,
}

impl ConnectionLike for RedisConnection {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        Box::pin(async move {
            let answer = self.inner.req_packed_command(cmd).await.and_then(Value::extract_error);
            answer.inspect_err(|error| self.redis.observe(self.generation, error))
        })
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        Box::pin(async move {
            let answer = self.inner.req_packed_commands(pipeline, offset, count).await;
            answer.inspect_err(|error| self.redis.observe(self.generation, error))
        })
    }

    fn get_db(&self) -> i64 {
        self.inner.get_db()
    }
}

#[cfg(test)]
pub(crate) mod tests;
