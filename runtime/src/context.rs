//! The shared parts of every process, created once at startup and passed on by clone.

use crate::clock::Clock;
use crate::config::{BrokerConfig, Config};
use crate::database::{Database, DatabaseOptions};
use crate::error::StartError;
use crate::events::Events;
use crate::fail_point;
use crate::limits::Limits;
use crate::readiness::{Need, Readiness};
use crate::redis::Redis;
use crate::secret::Secret;
use crate::shutdown::Shutdown;
use crate::telemetry;

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
    /// Prefix of queue names and Redis keys.
    pub prefix: String,
}

impl Context {
    /// A single process: limits and events in memory.
    pub async fn embedded(config: &Config, shutdown: Shutdown) -> Result<Self, StartError> {
        fail_point::check()?;
        let clock = Clock::system();
        let database = Database::connect(config.database_url.expose(), &DatabaseOptions::default()).await?;
        let limits = Limits::in_process(clock.clone());
        let parts = Parts { limits, events: Events::in_process(), redis: None, amqp_url: None };
        Ok(Self::assemble(config, clock, database, shutdown, parts))
    }

    /// One of several processes: limits and events in Redis.
    pub async fn distributed(config: &Config, shutdown: Shutdown) -> Result<Self, StartError> {
        let Some(BrokerConfig { amqp_url, redis_url }) = config.broker.clone() else {
            return Err(StartError::Contradiction("this process needs RabbitMQ and Redis".to_owned()));
        };
        fail_point::check()?;
        let clock = Clock::system();
        let database = Database::connect(config.database_url.expose(), &DatabaseOptions::default()).await?;
        let redis = Redis::connect(redis_url.expose(), &config.prefix).await?;
        let limits = Limits::redis(redis.clone(), clock.clone());
        let events = Events::redis(&redis, &shutdown);
        let parts = Parts { limits, events, redis: Some(redis), amqp_url: Some(amqp_url) };
        Ok(Self::assemble(config, clock, database, shutdown, parts))
    }

    /// Whichever of the two is configured, for commands beside running processes.
    pub async fn open(config: &Config, shutdown: Shutdown) -> Result<Self, StartError> {
        match config.broker {
            Some(_) => Self::distributed(config, shutdown).await,
            None => Self::embedded(config, shutdown).await,
        }
    }

    /// Keeps the process's caches exact: changes of other processes and commands are noticed within a second.
    pub async fn follow_changes(&self, config: &Config) -> Result<(), StartError> {
        let options = DatabaseOptions { max_connections: 1, readers: 1, ..DatabaseOptions::default() };
        let database = Database::connect(config.database_url.expose(), &options).await?;
        self.events.follow(database, self.clock.clone(), &self.shutdown);
        Ok(())
    }

    /// Closes a process or command in order: tasks, database.
    pub async fn close(self) {
        self.shutdown.begin();
        self.shutdown.wait().await;
        self.database.close().await;
    }

    fn assemble(config: &Config, clock: Clock, database: Database, shutdown: Shutdown, parts: Parts) -> Self {
        telemetry::spawn_upkeep(&shutdown);
        let readiness = Readiness::new(&shutdown);
        let checked = database.clone();
        readiness.check("database", Need::Required, move || {
            let database = checked.clone();
            async move { database.ping().await.is_ok() }
        });
        if let Some(redis) = parts.redis.clone() {
            // Hot paths fall back without it, so an outage does not take the process out of rotation.
            readiness.check("redis", Need::Optional, move || {
                let redis = redis.clone();
                async move { redis.ping().await }
            });
        }
        let Parts { limits, events, redis, amqp_url } = parts;
        let prefix = config.prefix.clone();
        Self { clock, database, limits, events, shutdown, readiness, redis, amqp_url, prefix }
    }
}

/// The differences between the two kinds of process.
struct Parts {
    limits: Limits,
    events: Events,
    redis: Option<Redis>,
    amqp_url: Option<Secret>,
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
}
