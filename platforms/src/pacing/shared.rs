//! The permits of all processes, in Redis: two scripts on the server's clock.
//!
//! The scripts build their key names from the lane they find, so they need one Redis server (or a primary with
//! replicas), not a cluster.

use redis::Script;
use runtime::Redis;

use super::rate::Rules;
use super::state::{Ask, Verdict};
use super::{
    Answered, Bucket, INTERACTIVE_POLL, INVALID_LIMIT, INVALID_MINUTES, LANE_IDLE, LATE, LONGEST_SPAN,
    Micros, POLL, PROBE, SAFETY, WAITING,
};
use crate::Priority;

pub(crate) struct SharedPace {
    redis: Redis,
    base: String,
    acquire: Script,
    finish: Script,
    /// Tests set it, to walk through time; else the server's clock counts.
    now: Option<Micros>,
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct SharedDown(String);

impl SharedPace {
    /// `platform` separates the permits of the two platforms.
    pub(crate) fn new(redis: Redis, platform: &str) -> Self {
        Self {
            base: redis.key(&format!("pace:{platform}")),
            redis,
            acquire: Script::new(include_str!("acquire.lua")),
            finish: Script::new(include_str!("finish.lua")),
            now: None,
        }
    }

    pub(super) async fn acquire(&self, rules: Rules, ask: &Ask) -> Result<Verdict, SharedDown> {
        let permit: u64 = rand::random();
        let mut call = self.acquire.key(&self.base);
        call.arg(permit)
            .arg(u8::from(ask.priority == Priority::Bulk))
            .arg(rules.capacity.unwrap_or(u32::MAX))
            .arg(rules.reserve)
            .arg(SAFETY + rules.window)
            .arg(ask.lane())
            .arg(PROBE)
            .arg(INVALID_LIMIT)
            .arg(INVALID_MINUTES)
            .arg(LANE_IDLE / 1000)
            .arg(ask.major)
            .arg(WAITING)
            .arg(rules.interval())
            .arg(rules.lead())
            .arg(rules.about())
            .arg(LATE)
            .arg(rules.window)
            .arg(INTERACTIVE_POLL)
            .arg(POLL)
            .arg(self.time());
        let (verdict, wait): (u8, Micros) = self.run(&call).await?;
        match verdict {
            0 => Ok(Verdict::Granted(permit)),
            1 => Ok(Verdict::Full(wait.min(POLL))),
            2 => Ok(Verdict::Probing),
            3 => Ok(Verdict::Paused(wait)),
            4 => Ok(Verdict::Silenced(wait)),
            other => Err(SharedDown(format!("the pacing script answered {other}"))),
        }
    }

    pub(super) async fn finish(
        &self,
        rules: Rules,
        permit: u64,
        ask: &Ask,
        answered: &Answered,
    ) -> Result<(), SharedDown> {
        let scope = answered.pause.map_or("", |pause| if pause.global { "global" } else { "lane" });
        let bucket = answered.bucket.as_ref();
        let mut call = self.finish.key(&self.base);
        call.arg(permit)
            .arg(rules.window)
            .arg(ask.lane())
            .arg(u8::from(answered.heard))
            .arg(u8::from(answered.invalid))
            .arg(scope)
            .arg(answered.pause.map_or(0, |pause| pause.wait))
            .arg(bucket.map_or_else(String::new, |bucket| ask.bucket_lane(&bucket.id)))
            .arg(bucket.map_or(0, |bucket| bucket.limit))
            .arg(bucket.map_or(0, |bucket| bucket.remaining))
            .arg(bucket.map_or(0, Bucket::reset_in))
            .arg(LANE_IDLE / 1000)
            .arg(INVALID_MINUTES)
            .arg(LONGEST_SPAN)
            .arg(self.time());
        self.run::<i64>(&call).await.map(|_| ())
    }

    fn time(&self) -> String {
        self.now.map_or_else(String::new, |now| now.to_string())
    }

    async fn run<T: redis::FromRedisValue>(
        &self,
        call: &redis::ScriptInvocation<'_>,
    ) -> Result<T, SharedDown> {
        let mut connection = self.redis.connection().await.map_err(|error| SharedDown(error.to_string()))?;
        call.invoke_async(&mut connection).await.map_err(|error| SharedDown(error.to_string()))
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod twin;
