//! The shared parts of every process, created once at startup and passed on by clone.

use crate::clock::Clock;
use crate::config::{BrokerConfig, Config, Retention};
use crate::database::{Database, DatabaseOptions};
use crate::error::StartError;
use crate::events::Events;
use crate::fail_point;
use crate::limits::Limits;
use crate::readiness::{Need, Readiness};
use crate::redis::Redis;
use crate::secret::Secret;
use crate::shutdown::Shutdown;

#[derive(Clone)]
pub struct Context {
    pub clock: Clock,
    pub database: Database,
    pub limits: Limits,
    pub events: Events,
    pub shutdown: Shutdown,
    /// The registry behind `/health/ready`; processes add their own checks.
    pub readiness: Readiness,
    /// Only in distributed processes.
    pub redis: Option<Redis>,
    /// RabbitMQ, in distributed processes; the queue connects to it.
    pub amqp_url: Option<Secret>,
    pub prefix: String,
    /// Set in processes that delete old rows; the defaults in the others.
    pub retention: Retention,
}

impl Context {
    /// A single process: limits and events in memory.
    pub async fn embedded(config: &Config, shutdown: Shutdown) -> Result<Self, StartError> {
        Self::start(config, None, shutdown).await
    }

    /// One of several processes: limits and events in Redis.
    pub async fn distributed(config: &Config, shutdown: Shutdown) -> Result<Self, StartError> {
        if config.broker.is_none() {
            return Err(StartError::Contradiction("this process needs RabbitMQ and Redis".to_owned()));
        }
        Self::open(config, shutdown).await
    }

    /// Whichever of the two is configured, for commands beside running processes.
    pub async fn open(config: &Config, shutdown: Shutdown) -> Result<Self, StartError> {
        Self::start(config, config.broker.as_ref(), shutdown).await
    }

    /// Keeps the process's caches exact: changes of other processes and commands are noticed within a second.
    pub async fn follow_changes(&self, config: &Config) -> Result<(), StartError> {
        // While one connection waits for a server that vanished, another finds out when it is back.
        let breaker = self.database.breaker().clone();
        let options =
            DatabaseOptions { max_connections: 2, readers: 1, breaker, ..DatabaseOptions::default() };
        let database = Database::connect(config.database_url.expose(), &options).await?;
        // Readiness uses this connection, so that it never waits for requests.
        check_database(&self.readiness, database.clone().guarded());
        self.events.follow(database, self.clock.clone(), &self.shutdown);
        Ok(())
    }

    /// Closes a process or command in order: tasks, database.
    pub async fn close(self) {
        self.shutdown.begin();
        self.shutdown.wait().await;
        self.database.close().await;
    }

    async fn start(
        config: &Config,
        broker: Option<&BrokerConfig>,
        shutdown: Shutdown,
    ) -> Result<Self, StartError> {
        fail_point::check()?;
        let clock = Clock::system();
        let database = Database::connect(config.database_url.expose(), &DatabaseOptions::default()).await?;
        let redis = match broker {
            Some(broker) => Some(Redis::connect(broker.redis_url.expose(), &config.prefix).await?),
            None => None,
        };
        let breaker = database.breaker().clone();
        let (limits, events) = match &redis {
            Some(redis) => {
                (Limits::redis(redis.clone(), clock.clone()), Events::redis(redis, breaker, &shutdown))
            }
            None => (Limits::in_process(clock.clone()), Events::in_process(breaker)),
        };
        let readiness = readiness(&shutdown, database.clone().guarded(), redis.clone());
        let (amqp_url, prefix) = (broker.map(|broker| broker.amqp_url.clone()), config.prefix.clone());
        let retention = Retention::default();
        Ok(Self { clock, database, limits, events, shutdown, readiness, redis, amqp_url, prefix, retention })
    }
}

fn readiness(shutdown: &Shutdown, database: Database, redis: Option<Redis>) -> Readiness {
    let readiness = Readiness::new(shutdown);
    check_database(&readiness, database);
    if let Some(redis) = redis {
        // Hot paths fall back without it, so an outage does not take the process out of rotation.
        readiness.check("redis", Need::Optional, move || {
            let redis = redis.clone();
            async move { redis.ping().await }
        });
    }
    readiness
}

fn check_database(readiness: &Readiness, database: Database) {
    readiness.check("database", Need::Required, move || {
        let database = database.clone();
        async move { database.ping().await.is_ok() }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_embedded_process_is_ready_and_closes() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}/guildhall.db", folder.path().display());
        let config = Config { database_url: url.as_str().into(), prefix: "test".to_owned(), broker: None };
        let context = Context::open(&config, Shutdown::new()).await.unwrap();
        assert!(context.readiness.report().await.is_ready());
        assert!(context.redis.is_none() && !context.events.freshness().is_fresh());
        tokio::time::timeout(std::time::Duration::from_secs(5), context.close()).await.expect("closes");
    }

    #[tokio::test]
    async fn readiness_needs_no_connection_that_requests_use() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}/guildhall.db", folder.path().display());
        let config = Config { database_url: url.as_str().into(), prefix: "test".to_owned(), broker: None };
        let context = Context::open(&config, Shutdown::new()).await.unwrap();
        context.follow_changes(&config).await.unwrap();
        let mut used = Vec::new();
        for _ in 0..DatabaseOptions::default().readers {
            used.push(context.database.snapshot().await.unwrap());
        }
        assert!(context.readiness.report().await.is_ready());
        drop(used);
        context.close().await;
    }
}
