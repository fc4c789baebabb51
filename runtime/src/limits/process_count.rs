//! The number of API processes: each registers itself in a sorted set every few seconds. While Redis is down, the rate
//! is divided by the last known number.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use redis::{Script, ScriptInvocation};

use crate::redis::Redis;
use crate::shutdown::Shutdown;

/// Heartbeat interval of a process.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);
/// A process without a heartbeat for this long no longer counts.
const GONE_AFTER: Duration = Duration::from_secs(16);

/// `KEYS[1]` the set; ARGV id, ms until a process is gone, 1 to stay or 0 to leave. Returns the number of processes.
const PRESENT: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[3] == '1' then
  redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[1])
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('(%.0f', now - ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
";

#[derive(Clone)]
pub(super) struct ProcessCount(Arc<Inner>);

struct Inner {
    redis: Redis,
    script: Script,
    name: String,
    known: AtomicU32,
}

impl ProcessCount {
    pub(super) fn new(redis: Redis) -> Self {
        let name = format!("{:016x}", rand::random::<u64>());
        Self(Arc::new(Inner { redis, script: Script::new(PRESENT), name, known: AtomicU32::new(1) }))
    }

    /// API processes at the last count, at least 1.
    pub(super) fn known(&self) -> u32 {
        self.0.known.load(Ordering::Relaxed).max(1)
    }

    /// The name of this process among them.
    pub(super) fn name(&self) -> &str {
        &self.0.name
    }

    pub(super) fn learn(&self, processes: u32) {
        self.0.known.store(processes, Ordering::Relaxed);
    }

    pub(super) fn announce(&self, shutdown: &Shutdown) {
        let (process_count, soft) = (self.clone(), shutdown.soft().clone());
        shutdown.tracker().spawn(async move {
            while !soft.is_cancelled() {
                process_count.say("1").await;
                soft.run_until_cancelled(tokio::time::sleep(HEARTBEAT_INTERVAL)).await;
            }
            process_count.say("0").await;
        });
    }

    async fn say(&self, stay: &str) {
        let Ok(mut connection) = self.0.redis.connection().await else { return };
        match self.invocation(stay).invoke_async::<u32>(&mut connection).await {
            Ok(processes) => self.learn(processes),
            Err(error) => tracing::debug!(%error, "this process could not announce itself"),
        }
    }

    fn invocation(&self, stay: &str) -> ScriptInvocation<'_> {
        let mut invocation = self.0.script.key(self.0.redis.key("api-processes"));
        let gone_after = u64::try_from(GONE_AFTER.as_millis()).unwrap_or(u64::MAX);
        invocation.arg(&self.0.name).arg(gone_after).arg(stay);
        invocation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redis::tests::test_redis;

    #[tokio::test]
    async fn processes_count_each_other_and_deregister_on_shutdown() {
        let Some(redis) = test_redis("limits::process_count: count").await else { return };
        let (one, two) = (ProcessCount::new(redis.clone()), ProcessCount::new(redis));
        assert_eq!(one.known(), 1);
        one.say("1").await;
        two.say("1").await;
        one.say("1").await;
        assert_eq!((one.known(), two.known()), (2, 2));
        let shutdown = Shutdown::new();
        two.announce(&shutdown);
        shutdown.begin();
        shutdown.wait().await;
        one.say("1").await;
        assert_eq!(one.known(), 1);
    }
}
