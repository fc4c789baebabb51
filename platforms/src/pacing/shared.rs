//! The permits of all processes, in Redis: three scripts on the server's clock.
//!
//! All keys share one hash tag, so they are on one node of a cluster, whatever names the scripts build.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use redis::{Script, ScriptInvocation};
use runtime::{Redis, RedisDown};

use crate::context::Priority;
use crate::pacing::answered::{Answered, Bucket};
use crate::pacing::budget::{self, Budget, CountedBy};
use crate::pacing::end::{End, SharedDown};
use crate::pacing::numbers::{
    BUCKET_IDLE, BULK_SHARE, INTERACTIVE_POLL, INVALID_MINUTES, LONGEST_POLL, LONGEST_REQUEST, LONGEST_SPAN,
    LONGEST_TURN, Micros, POLL_TOLERANCE, PROBE_TIMEOUT, SECOND, STALE_HEADS, VOID_FOR, WAITING_GRACE,
};
use crate::pacing::rate::Rules;
use crate::pacing::state::{Ask, Verdict};

/// The last answer of Redis.
#[derive(Default)]
struct Known {
    /// The processes that asked within a minute.
    processes: Option<u32>,
    /// Differs once Redis has lost its data.
    began: String,
}

pub(crate) struct SharedPace {
    redis: Redis,
    base: String,
    acquire: Script,
    finish: Script,
    release: Script,
    /// The name of this process among those that share the permits.
    process: String,
    known: Mutex<Known>,
    /// Set by tests to control time; else the server's clock counts.
    now: Option<Micros>,
}

impl SharedPace {
    /// `platform` separates the permits of the two platforms.
    pub(crate) fn new(redis: Redis, platform: &str) -> Self {
        Self {
            base: format!("{{{}}}", redis.key(&format!("pace:{platform}"))),
            redis,
            acquire: Script::new(include_str!("acquire.lua")),
            finish: Script::new(include_str!("finish.lua")),
            release: Script::new(include_str!("release.lua")),
            process: format!("{:016x}", rand::random::<u64>()),
            known: Mutex::default(),
            now: None,
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The processes that share the permits, as far as this one knows: none before the first answer.
    pub(super) fn processes(&self) -> Option<u32> {
        self.known().processes
    }

    pub(super) async fn acquire(&self, rules: Rules, permit: u64, ask: &Ask) -> Result<Verdict, SharedDown> {
        let mut call = self.acquire.key(&self.base);
        call.arg(permit)
            .arg(u8::from(ask.priority == Priority::Bulk))
            .arg(rules.capacity.unwrap_or(u32::MAX))
            .arg(rules.reserve)
            .arg(rules.hold())
            .arg(ask.bucket())
            .arg(PROBE_TIMEOUT)
            .arg(ask.refusals())
            .arg(INVALID_MINUTES)
            .arg(BUCKET_IDLE / 1000)
            .arg(ask.major)
            .arg(WAITING_GRACE)
            .arg(rules.interval())
            .arg(rules.lead())
            .arg(rules.about())
            .arg(POLL_TOLERANCE)
            .arg(rules.window)
            .arg(INTERACTIVE_POLL)
            .arg(LONGEST_POLL)
            .arg(BULK_SHARE)
            .arg(LONGEST_REQUEST)
            .arg(LONGEST_TURN)
            .arg(STALE_HEADS)
            .arg(self.time())
            .arg(&self.process)
            .arg(self.known().began.as_str());
        let (verdict, wait, processes, began): (u8, Micros, u32, String) = self.run(&call).await?;
        *self.known() = Known { processes: Some(processes), began };
        match verdict {
            0 => Ok(Verdict::Granted),
            1 => Ok(Verdict::Full(wait)),
            2 => Ok(Verdict::Probing),
            3 => Ok(Verdict::Paused(wait)),
            4 => Ok(Verdict::Silenced(wait)),
            other => {
                let cause = format!("the pacing script answered {other}");
                Err(SharedDown { cause, may_have_arrived: true })
            }
        }
    }

    pub(super) async fn end(&self, rules: Rules, end: &End) -> Result<(), SharedDown> {
        match &end.answered {
            Some(answered) => self.finish(rules, end, answered).await,
            None => self.release(end).await,
        }
    }

    async fn finish(&self, rules: Rules, end: &End, answered: &Answered) -> Result<(), SharedDown> {
        let scope = answered.pause.map_or("", |pause| if pause.global { "global" } else { "bucket" });
        let bucket = answered.bucket.as_ref();
        let mut call = self.finish.key(&self.base);
        call.arg(end.id)
            .arg(rules.window)
            .arg(end.ask.bucket())
            .arg(u8::from(answered.heard))
            .arg(u8::from(answered.invalid))
            .arg(scope)
            .arg(answered.pause.map_or(0, |pause| pause.wait))
            .arg(bucket.map_or_else(String::new, |bucket| end.ask.named_bucket(&bucket.id)))
            .arg(bucket.map_or(0, |bucket| bucket.limit))
            .arg(bucket.map_or(0, |bucket| bucket.remaining))
            .arg(bucket.map_or(0, Bucket::reset_in))
            .arg(BUCKET_IDLE / 1000)
            .arg(INVALID_MINUTES)
            .arg(LONGEST_SPAN)
            .arg(if end.void { VOID_FOR } else { 0 })
            .arg(self.time());
        self.run::<i64>(&call).await.map(|_| ())
    }

    async fn release(&self, end: &End) -> Result<(), SharedDown> {
        let mut call = self.release.key(&self.base);
        call.arg(end.id).arg(end.ask.bucket()).arg(VOID_FOR).arg(u8::from(end.void)).arg(self.time());
        self.run::<i64>(&call).await.map(|_| ())
    }

    /// Reads the current budget. Pauses of single routes are not listed: that would read every key.
    pub(super) async fn budget(&self, rules: Rules) -> Result<Budget, RedisDown> {
        let mut connection = self.redis.connection().await?;
        let down = |_| RedisDown;
        let time: (Micros, Micros) = redis::cmd("TIME").query_async(&mut connection).await.map_err(down)?;
        let now = time.0 * SECOND + time.1;
        let mut read = redis::pipe();
        read.cmd("ZCOUNT").arg(format!("{}:permits", self.base)).arg(format!("({now}")).arg("+inf");
        read.cmd("GET").arg(format!("{}:paused", self.base));
        read.cmd("HGETALL").arg(format!("{}:invalid", self.base));
        let (in_use, paused, minutes): (u32, Option<Micros>, HashMap<Micros, u32>) =
            read.query_async(&mut connection).await.map_err(down)?;
        let oldest = (now / SECOND / 60).saturating_sub(INVALID_MINUTES);
        let counted = minutes.into_iter().filter(|(minute, _)| *minute >= oldest);
        Ok(Budget {
            in_use,
            paused_for: budget::left(paused.unwrap_or(0), now),
            refusals: counted.map(|(_, answers)| answers).sum(),
            ..Budget::new(CountedBy::Redis, &rules)
        })
    }

    fn time(&self) -> String {
        self.now.map_or_else(String::new, |now| now.to_string())
    }

    async fn run<T: redis::FromRedisValue>(&self, call: &ScriptInvocation<'_>) -> Result<T, SharedDown> {
        let down = |may_have_arrived| {
            move |error: &dyn std::fmt::Display| SharedDown { cause: error.to_string(), may_have_arrived }
        };
        let mut connection = self.redis.connection().await.map_err(|error| down(false)(&error))?;
        call.invoke_async(&mut connection).await.map_err(|error| down(true)(&error))
    }
}

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod tests;
