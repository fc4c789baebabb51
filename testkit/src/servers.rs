//! The servers of the distributed mode, as configured by `./test`, and the names that a test uses on them.

use entities::job::Class;
use lapin::options::{ExchangeDeleteOptions, QueueDeleteOptions};
use lapin::{Connection, ConnectionProperties};
use runtime::BrokerConfig;

use crate::cleanup::clean_up;

/// The queues, exchanges and Redis keys of a prefix on some servers. They are deleted on drop; servers that a test
/// stopped are left as they are.
#[derive(Debug)]
pub struct Namespace {
    pub servers: Servers,
    pub prefix: String,
}

impl Namespace {
    /// With a prefix of its own.
    pub fn new(servers: Servers) -> Self {
        Self { servers, prefix: format!("t{}", &uuid::Uuid::now_v7().simple().to_string()[20..]) }
    }

    /// What a process of the product needs to use it.
    pub fn broker(&self) -> BrokerConfig {
        let Servers { amqp, redis, .. } = &self.servers;
        BrokerConfig { amqp_url: amqp.as_str().into(), redis_url: redis.as_str().into() }
    }

    /// A connection to its Redis.
    pub async fn redis(&self) -> runtime::Redis {
        runtime::Redis::connect(&self.servers.redis, &self.prefix).await.unwrap()
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        clean_up(self.servers.forget(&self.prefix));
    }
}

/// The name of a class's RabbitMQ queue.
pub fn job_queue(prefix: &str, class: Class) -> String {
    format!("{prefix}.jobs.{}.v2", class.name())
}

#[derive(Clone, Debug)]
pub struct Servers {
    pub database: String,
    pub amqp: String,
    pub redis: String,
}

pub(crate) fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: run ./test"))
}

impl Servers {
    pub fn from_env() -> Self {
        Self {
            database: variable("GUILDHALL_TEST_DATABASE_URL"),
            amqp: variable("GUILDHALL_TEST_AMQP_URL"),
            redis: variable("GUILDHALL_TEST_REDIS_URL"),
        }
    }

    async fn forget(&self, prefix: &str) {
        if let Err(error) = self.forget_queues(prefix).await {
            println!("queues of {prefix} stay: {error}");
        }
        if let Err(error) = self.forget_keys(prefix).await {
            println!("redis keys of {prefix} stay: {error}");
        }
    }

    async fn forget_queues(&self, prefix: &str) -> lapin::Result<()> {
        let connection = Connection::connect(&self.amqp, ConnectionProperties::default()).await?;
        let channel = connection.create_channel().await?;
        let queues: Vec<String> = Class::ALL.iter().map(|class| job_queue(prefix, *class)).collect();
        for queue in queues.into_iter().chain([format!("{prefix}.dead.v2")]) {
            channel.queue_delete(queue.into(), QueueDeleteOptions::default()).await?;
        }
        for exchange in ["jobs", "dead"] {
            let name = format!("{prefix}.{exchange}.v2");
            channel.exchange_delete(name.into(), ExchangeDeleteOptions::default()).await?;
        }
        connection.close(200, "done".into()).await
    }

    pub async fn forget_keys(&self, prefix: &str) -> redis::RedisResult<()> {
        let mut connection =
            redis::Client::open(self.redis.as_str())?.get_multiplexed_async_connection().await?;
        // Some begin with a brace, which keeps them together in a cluster.
        let pattern = format!("*{prefix}*");
        let mut cursor = 0_u64;
        loop {
            let (next, keys): (u64, Vec<String>) = redis::cmd("SCAN")
                .arg(cursor)
                .arg(&["MATCH", pattern.as_str(), "COUNT", "1000"])
                .query_async(&mut connection)
                .await?;
            if !keys.is_empty() {
                let _: () = redis::cmd("DEL").arg(&keys).query_async(&mut connection).await?;
            }
            if next == 0 {
                return Ok(());
            }
            cursor = next;
        }
    }
}
