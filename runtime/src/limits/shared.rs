//! Windows that all processes share. Redis has the count and the end of each, on its own time, so that processes with
//! different clocks agree. A process is granted a block of permits and uses them without asking again; when
//! Redis has none left, it asks the others to return unused permits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use redis::Script;
use tokio::sync::Notify;

use self::grants::{Asker, Grants};
use self::messages::{Heard, key};
use self::scripts::RETURN;
use super::process_count::ProcessCount;
use super::rate::{Counter, Decision, LimitsDown, Rate};
use super::windows::{Returned, Window, Windows};
use crate::clock::Clock;
use crate::redis::{Redis, RedisDown};
use crate::shutdown::Shutdown;
use crate::subscription;

mod grants;
mod messages;
mod scripts;

/// How long a request waits for permits that others were asked to return.
const RECALL_WAIT: Duration = Duration::from_millis(100);
/// Requests that ask Redis at once; those of one counter ask one after the other.
const CONCURRENT_REQUESTS: usize = 256;
/// Counters that are returned at once when the process ends.
const CONCURRENT_RETURNS: usize = 64;

#[derive(Clone)]
pub(super) struct SharedWindows(Arc<Inner>);

struct Inner {
    redis: Redis,
    grants: Grants,
    give_back: Script,
    channel: String,
    granted: Arc<Windows>,
    asking: [tokio::sync::Mutex<()>; CONCURRENT_REQUESTS],
    /// Permits were returned.
    returned: Notify,
    /// Names of limits, for counters in messages.
    names: Mutex<Vec<&'static str>>,
    processes: ProcessCount,
    /// Others may ask this process to return permits. Otherwise it takes none in advance, and counts requests one by one.
    joined: AtomicBool,
}

impl SharedWindows {
    pub(super) fn new(redis: Redis, clock: Clock) -> Self {
        let (channel, granted) = (redis.key("limits"), Arc::new(Windows::new(clock)));
        let processes = ProcessCount::new(redis.clone());
        let grants = Grants::start(Asker {
            redis: redis.clone(),
            granted: granted.clone(),
            process: processes.name().to_owned(),
            channel: channel.clone(),
        });
        Self(Arc::new(Inner {
            grants,
            give_back: Script::new(RETURN),
            channel,
            granted,
            asking: std::array::from_fn(|_| tokio::sync::Mutex::default()),
            returned: Notify::new(),
            names: Mutex::default(),
            processes,
            redis,
            joined: AtomicBool::new(false),
        }))
    }

    pub(super) fn redis(&self) -> &Redis {
        &self.0.redis
    }

    /// Counts this process, and listens to the others, until shutdown begins; then returns unused permits.
    pub(super) fn join(&self, shutdown: &Shutdown) {
        self.0.joined.store(true, Ordering::Relaxed);
        self.0.processes.announce(shutdown);
        let (leaving, soft) = (self.clone(), shutdown.soft().clone());
        shutdown.tracker().spawn(async move {
            soft.cancelled().await;
            leaving.leave().await;
        });
        let (windows, tasks) = (self.clone(), shutdown.services().clone());
        let hear = move |message: &[u8]| {
            let Some(message) = Heard::read(message, windows.0.processes.name()) else { return };
            let windows = windows.clone();
            tasks.spawn(async move { windows.hear(message).await });
        };
        subscription::start(&self.0.redis, self.0.channel.clone(), hear, shutdown);
    }

    /// From now on requests are counted one by one, so that no permit is lost when this process ends.
    async fn leave(&self) {
        self.0.joined.store(false, Ordering::Relaxed);
        let unused = stream::iter(self.0.granted.unused());
        unused.for_each_concurrent(CONCURRENT_RETURNS, |counter| self.give_back(counter)).await;
    }

    /// Uses a permit that this process has, or is granted.
    pub(super) async fn take(&self, counter: Counter, rate: Rate) -> Result<Decision, LimitsDown> {
        match self.0.granted.take(counter, rate) {
            Some(decision) => Ok(decision),
            None => {
                let joined = self.0.joined.load(Ordering::Relaxed);
                // Boxed, because hardly any request waits.
                Box::pin(self.take_granted(counter, rate, joined.then(|| self.0.processes.known()))).await
            }
        }
    }

    /// Uses a request of this process's share of the rate, while Redis cannot be asked.
    pub(super) fn take_alone(&self, counter: Counter, rate: Rate) -> Decision {
        self.0.granted.take_alone(counter, rate, rate.share(self.0.processes.known()))
    }

    /// Uses a permit that Redis grants only for this request.
    pub(super) async fn take_one(&self, counter: Counter, rate: Rate) -> Result<Decision, LimitsDown> {
        Box::pin(self.take_granted(counter, rate, None)).await
    }

    /// The open window as this process knows it.
    pub(super) fn known(&self, counter: Counter, rate: Rate) -> Option<Decision> {
        self.0.granted.peek(counter, rate)
    }

    pub(super) async fn peek(&self, counter: Counter, rate: Rate) -> Result<Decision, LimitsDown> {
        match self.0.granted.peek(counter, rate) {
            Some(decision) => Ok(decision),
            None => {
                Box::pin(self.ask(counter, rate, 0)).await?;
                // The window may have ended meanwhile.
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
        let deadline = tokio::time::Instant::now() + RECALL_WAIT;
        loop {
            let returned = self.0.returned.notified();
            let window = self.ask(counter, rate, parts.unwrap_or(u32::MAX)).await?;
            if let Some(decision) = granted.take(counter, rate) {
                return Ok(decision);
            }
            let again = if window.ends_at <= granted.now() || window.permits + window.left > 0 {
                // The window ended meanwhile, or another request was faster.
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
        self.0.grants.ask(counter, rate, parts, self.0.granted.now()).await
    }

    async fn hear(&self, message: Heard) {
        match message {
            Heard::Returned(window) => {
                if let Some(counter) = self.counter(&window) {
                    self.0.granted.reopen(counter);
                }
                self.0.returned.notify_waiters();
            }
            Heard::Recall(window) => {
                if let Some(counter) = self.counter(&window) {
                    self.give_back(counter).await;
                }
            }
        }
    }

    async fn give_back(&self, counter: Counter) {
        // Permits being granted at this moment are returned too.
        let _asking = self.asking(counter).lock().await;
        let Some(Returned { id, permits, total }) = self.0.granted.take_back(counter) else { return };
        let mut give_back = self.0.give_back.key(key(&self.0.redis, counter));
        give_back.arg(id).arg(permits).arg(total).arg(self.0.processes.name()).arg(&self.0.channel);
        // Lost permits are lost until the window ends.
        let _: Result<(), RedisDown> = self.0.redis.invoke(&give_back).await;
    }

    fn asking(&self, counter: Counter) -> &tokio::sync::Mutex<()> {
        &self.0.asking[self.0.granted.slot(counter, CONCURRENT_REQUESTS)]
    }

    fn remember(&self, counter: Counter) {
        let Some(name) = counter.name() else { return };
        let mut names = self.0.names.lock().unwrap_or_else(PoisonError::into_inner);
        if !names.contains(&name) {
            names.push(name);
        }
    }

    /// The counter of this window, if this process has counted under its limit.
    fn counter(&self, window: &str) -> Option<Counter> {
        let names = self.0.names.lock().unwrap_or_else(PoisonError::into_inner);
        Counter::parse(window.strip_prefix(&key(&self.0.redis, ""))?, &names)
    }
}

#[cfg(test)]
mod tests;
