//! Windows that all processes share. Redis has the count and the end of each, on its own time, so that processes with
//! different clocks agree. A process is granted a block of permits and uses them without asking again; when Redis has
//! none left, it asks the others to return what they do not use.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use redis::{Script, ScriptInvocation};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use self::scripts::{GRANT, RETURN};
use super::process_count::ProcessCount;
use super::rate::{Counter, Decision, LimitsDown, Rate};
use super::windows::{Window, Windows};
use crate::clock::Clock;
use crate::redis::Redis;
use crate::shutdown::Shutdown;
use crate::subscription;

mod scripts;

/// How long a request waits for permits that others were asked to return.
const RECALL: Duration = Duration::from_millis(100);
/// Requests that ask Redis at once; those of one counter ask one after the other.
const ASKING: usize = 256;
/// Counters that are returned at once when the process ends.
const RETURNS: usize = 64;

#[derive(Clone)]
pub(super) struct SharedWindows(Arc<Inner>);

struct Inner {
    redis: Redis,
    grant: Script,
    give_back: Script,
    channel: String,
    granted: Windows,
    asking: [tokio::sync::Mutex<()>; ASKING],
    /// Permits were returned.
    returned: Notify,
    /// Names of limits, for counters in messages.
    names: Mutex<Vec<&'static str>>,
    processes: ProcessCount,
    leaving: AtomicBool,
}

/// Between processes.
#[derive(Serialize, Deserialize)]
struct Message {
    from: String,
    /// Otherwise: return what you do not use.
    returned: bool,
    counter: String,
}

impl SharedWindows {
    pub(super) fn new(redis: Redis, clock: Clock) -> Self {
        Self(Arc::new(Inner {
            grant: Script::new(GRANT),
            give_back: Script::new(RETURN),
            channel: redis.key("limits"),
            granted: Windows::new(clock),
            asking: std::array::from_fn(|_| tokio::sync::Mutex::default()),
            returned: Notify::new(),
            names: Mutex::default(),
            processes: ProcessCount::new(redis.clone()),
            redis,
            leaving: AtomicBool::new(false),
        }))
    }

    /// Counts this process, and listens to the others, until shutdown begins; then returns what is not used.
    pub(super) fn join(&self, shutdown: &Shutdown) {
        self.0.processes.announce(shutdown);
        let (leaving, soft) = (self.clone(), shutdown.soft().clone());
        shutdown.tracker().spawn(async move {
            soft.cancelled().await;
            leaving.leave().await;
        });
        let (windows, tasks) = (self.clone(), shutdown.services().clone());
        let hear = move |message: &[u8]| {
            if let Ok(message) = serde_json::from_slice(message) {
                let windows = windows.clone();
                tasks.spawn(async move { windows.hear(message).await });
            }
        };
        subscription::start(&self.0.redis, self.0.channel.clone(), hear, shutdown);
    }

    pub(super) fn processes(&self) -> u32 {
        self.0.processes.known()
    }

    /// From now on requests are counted one by one, so that nothing is left when this process ends.
    async fn leave(&self) {
        self.0.leaving.store(true, Ordering::Relaxed);
        let unused = stream::iter(self.0.granted.unused());
        unused.for_each_concurrent(RETURNS, |counter| self.give_back(counter)).await;
    }

    /// Uses a permit that this process has, or is granted.
    pub(super) async fn take(&self, counter: Counter, rate: Rate) -> Result<Decision, LimitsDown> {
        match self.0.granted.take(counter, rate) {
            Some(decision) => Ok(decision),
            None => {
                let leaving = self.0.leaving.load(Ordering::Relaxed);
                self.begin_take(counter, rate, (!leaving).then(|| self.processes())).await
            }
        }
    }

    /// Uses a permit that Redis grants for this request alone.
    pub(super) async fn take_one(&self, counter: Counter, rate: Rate) -> Result<Decision, LimitsDown> {
        self.begin_take(counter, rate, None).await
    }

    /// A task of its own: a block that was granted to a request whose client has left is for the others.
    async fn begin_take(
        &self,
        counter: Counter,
        rate: Rate,
        parts: Option<u32>,
    ) -> Result<Decision, LimitsDown> {
        let windows = self.clone();
        let taking = tokio::spawn(async move { windows.take_granted(counter, rate, parts).await });
        taking.await.unwrap_or(Err(LimitsDown))
    }

    pub(super) async fn peek(&self, counter: Counter, rate: Rate) -> Result<Decision, LimitsDown> {
        match self.0.granted.peek(counter, rate) {
            Some(decision) => Ok(decision),
            None => {
                let window = self.ask(counter, rate, 0).await?;
                self.0.granted.add(counter, window);
                // It may have ended on the way.
                Ok(self.0.granted.peek(counter, rate).unwrap_or_else(|| Decision::unused(rate)))
            }
        }
    }

    /// `parts`: a block is this part of what is left; otherwise one permit.
    async fn take_granted(
        &self,
        counter: Counter,
        rate: Rate,
        parts: Option<u32>,
    ) -> Result<Decision, LimitsDown> {
        let Inner { granted, .. } = &*self.0;
        let _asking = self.asking(counter).lock().await;
        if parts.is_some()
            && let Some(decision) = granted.take(counter, rate)
        {
            return Ok(decision);
        }
        let deadline = tokio::time::Instant::now() + RECALL;
        loop {
            let returned = self.0.returned.notified();
            let window = self.ask(counter, rate, parts.unwrap_or(u32::MAX)).await?;
            granted.add(counter, window);
            if let Some(decision) = granted.take(counter, rate) {
                return Ok(decision);
            }
            let again = if window.ends_at <= granted.now() {
                // It ended on the way.
                tokio::time::Instant::now() < deadline
            } else {
                // Others have the rest, and were asked for it.
                tokio::time::timeout_at(deadline, returned).await.is_ok()
            };
            if !again {
                return granted.close(counter, rate).ok_or(LimitsDown);
            }
        }
    }

    async fn ask(&self, counter: Counter, rate: Rate, parts: u32) -> Result<Window, LimitsDown> {
        self.remember(counter);
        metrics::counter!("guildhall_rate_limit_grants_total").increment(1);
        let asked_at = self.0.granted.now();
        let window = u64::try_from(rate.window.as_millis()).unwrap_or(u64::MAX).max(1);
        let mut grant = self.0.grant.key(self.key(counter));
        grant.arg(rate.limit).arg(window).arg(parts).arg(self.0.processes.name());
        grant.arg(&self.0.channel).arg(self.message(counter, false));
        let (permits, left, remaining_ms, id, closed): (u32, u32, u64, u64, bool) =
            self.invoke(&grant).await?;
        // From before the call: no permit is used after the window's end.
        let ends_at = asked_at + Duration::from_millis(remaining_ms);
        Ok(Window { left, closed, id, ..Window::new(rate, permits, ends_at) })
    }

    async fn hear(&self, message: Message) {
        if message.from == self.0.processes.name() {
            return;
        }
        if message.returned {
            return self.0.returned.notify_waiters();
        }
        if let Some(counter) = self.counter(&message.counter) {
            self.give_back(counter).await;
        }
    }

    async fn give_back(&self, counter: Counter) {
        // What is being granted at this moment is returned too.
        let _asking = self.asking(counter).lock().await;
        let Some((permits, id)) = self.0.granted.take_back(counter) else { return };
        let mut give_back = self.0.give_back.key(self.key(counter));
        give_back.arg(id).arg(permits).arg(self.0.processes.name());
        give_back.arg(&self.0.channel).arg(self.message(counter, true));
        // Lost permits are lost until the window ends.
        let _: Result<(), LimitsDown> = self.invoke(&give_back).await;
    }

    async fn invoke<T: redis::FromRedisValue>(&self, script: &ScriptInvocation<'_>) -> Result<T, LimitsDown> {
        let mut connection = self.0.redis.connection().await.map_err(|_| LimitsDown)?;
        script.invoke_async(&mut connection).await.map_err(|error| {
            tracing::debug!(%error, "a rate could not be checked");
            LimitsDown
        })
    }

    fn key(&self, counter: Counter) -> String {
        self.0.redis.key(&format!("limit:{counter}"))
    }

    fn message(&self, counter: Counter, returned: bool) -> String {
        let from = self.0.processes.name().to_owned();
        // Only texts: this cannot fail.
        serde_json::to_string(&Message { from, returned, counter: counter.to_string() }).unwrap_or_default()
    }

    fn asking(&self, counter: Counter) -> &tokio::sync::Mutex<()> {
        &self.0.asking[self.0.granted.slot(counter, ASKING)]
    }

    fn remember(&self, counter: Counter) {
        let Counter::Key(_, name) = counter else { return };
        let mut names = self.0.names.lock().unwrap_or_else(PoisonError::into_inner);
        if !names.contains(&name) {
            names.push(name);
        }
    }

    /// The counter of this text, if this process has counted under its limit.
    fn counter(&self, text: &str) -> Option<Counter> {
        if let Some(address) = text.strip_prefix("failed-keys:") {
            return address.parse().ok().map(Counter::Failures);
        }
        let (id, name) = text.strip_prefix("key:")?.split_once(':')?;
        let names = self.0.names.lock().unwrap_or_else(PoisonError::into_inner);
        let name = names.iter().find(|known| **known == name)?;
        Some(Counter::Key(id.parse().ok()?, name))
    }
}

#[cfg(test)]
mod tests;
