//! The servers of the distributed mode, as configured by `./test`, and the cleanup after a test.

use entities::job::Class;
use lapin::options::{ExchangeDeleteOptions, QueueDeleteOptions};
use lapin::{Connection, ConnectionProperties};

/// The Redis of `./test`, under the caller's own prefix.
pub async fn redis() -> runtime::Redis {
    let prefix = format!("test-{:016x}", rand::random::<u64>());
    runtime::Redis::connect(&variable("GUILDHALL_TEST_REDIS_URL"), &prefix).await.unwrap()
}

/// The name of a class's RabbitMQ queue.
pub fn job_queue(prefix: &str, class: Class) -> String {
    format!("{prefix}.jobs.{}.v2", class.name())
}

/// A broker with injected faults may not respond.
const FORGET_WITHIN: std::time::Duration = std::time::Duration::from_secs(10);

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

    /// Removes queues, exchanges and Redis keys of the prefix. Servers that a test stopped are left as they are.
    pub async fn forget(&self, prefix: &str) {
        match tokio::time::timeout(FORGET_WITHIN, self.forget_queues(prefix)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => println!("queues of {prefix} stay: {error}"),
            Err(_) => println!("queues of {prefix} stay: the broker does not answer"),
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
        let pattern = format!("{prefix}*");
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
