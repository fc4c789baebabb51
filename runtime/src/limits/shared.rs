//! Windows in Redis: one script reads, decides and writes atomically, on Redis time, so that processes with different
//! clocks agree.

use std::time::Duration;

use redis::Script;

use super::windows::{Decision, LimitsDown, Rate, Step};
use crate::redis::Redis;

/// A window is a hash of `n` (requests used) and `e` (end, milliseconds of Redis time); it expires when it ends.
/// `KEYS[1]` window; ARGV limit, window in ms, step (1 take, 0 peek, -1 refund). Returns allowed, used, ms until the end.
const WINDOW: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit, length, step = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local window = redis.call('HMGET', KEYS[1], 'n', 'e')
local used, ends = tonumber(window[1] or 0), tonumber(window[2] or 0)
if ends <= now then used, ends = 0, now + length end
if ends > now + length then ends = now + length end
local allowed, after = used < limit, used
if step > 0 and allowed then after = used + 1 end
if step < 0 and used > 0 then after = used - 1 end
if after == 0 then
  redis.call('DEL', KEYS[1])
elseif after ~= used then
  local text = string.format('%.0f', ends)
  redis.call('HSET', KEYS[1], 'n', after, 'e', text)
  redis.call('PEXPIREAT', KEYS[1], text)
end
return { allowed and 1 or 0, after, ends - now }
";

pub(super) struct SharedWindows {
    redis: Redis,
    script: Script,
}

impl SharedWindows {
    pub(super) fn new(redis: Redis) -> Self {
        Self { redis, script: Script::new(WINDOW) }
    }

    pub(super) async fn step(&self, key: &str, rate: Rate, step: Step) -> Result<Decision, LimitsDown> {
        let mut connection = self.redis.connection().await.map_err(|_| LimitsDown)?;
        let step = match step {
            Step::Take => 1,
            Step::Peek => 0,
            Step::Refund => -1,
        };
        let (allowed, used, left): (bool, u32, u64) = self
            .script
            .key(self.redis.key(&format!("limit:{key}")))
            .arg(rate.limit)
            .arg(rate.window_millis())
            .arg(step)
            .invoke_async(&mut connection)
            .await
            .map_err(|error| {
                tracing::debug!(%error, "a rate could not be checked");
                LimitsDown
            })?;
        let remaining = rate.limit.saturating_sub(used);
        Ok(Decision { allowed, limit: rate.limit, remaining, reset_after: Duration::from_millis(left) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redis::tests::test_redis;

    #[tokio::test]
    async fn the_first_request_opens_the_window_and_exactly_the_limit_passes() {
        let Some(redis) = test_redis("limits::shared: exact window").await else { return };
        let windows = SharedWindows::new(redis);
        let rate = Rate::per(3, Duration::from_millis(400));
        let mut seen = Vec::new();
        for _ in 0..5 {
            let decision = windows.step("k", rate, Step::Take).await.unwrap();
            assert!(decision.reset_after <= rate.window && !decision.reset_after.is_zero(), "{decision:?}");
            seen.push((decision.allowed, decision.remaining));
        }
        assert_eq!(seen, [(true, 2), (true, 1), (true, 0), (false, 0), (false, 0)]);
        tokio::time::sleep(rate.window).await;
        assert_eq!(windows.step("k", rate, Step::Take).await.unwrap().remaining, 2);
    }

    #[tokio::test]
    async fn peeks_and_refunds_are_the_same_as_in_one_process() {
        let Some(redis) = test_redis("limits::shared: peek and refund").await else { return };
        let windows = SharedWindows::new(redis);
        let rate = Rate::per(1, Duration::from_mins(1));
        let step = async |step| windows.step("k", rate, step).await.unwrap();
        assert!(step(Step::Peek).await.allowed);
        assert!(step(Step::Take).await.allowed);
        assert!(!step(Step::Peek).await.allowed);
        assert_eq!(step(Step::Refund).await.remaining, 1);
        assert_eq!(step(Step::Refund).await.remaining, 1);
        let again = step(Step::Take).await;
        assert!(again.allowed && again.reset_after > Duration::from_secs(58), "{again:?}");
        assert!(!step(Step::Take).await.allowed);
    }

    #[tokio::test]
    async fn many_processes_at_once_pass_exactly_the_limit() {
        let Some(redis) = test_redis("limits::shared: concurrent").await else { return };
        let rate = Rate::per(60, Duration::from_mins(1));
        let requests = (0..200).map(|_| {
            let windows = SharedWindows::new(redis.clone());
            tokio::spawn(async move { windows.step("k", rate, Step::Take).await.unwrap().allowed })
        });
        let requests: Vec<_> = requests.collect();
        let mut passed = 0;
        for request in requests {
            passed += u32::from(request.await.unwrap());
        }
        assert_eq!(passed, 60);
    }
}
