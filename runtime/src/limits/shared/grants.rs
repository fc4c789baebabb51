//! Asks Redis for permits: requests that arrive during a call are combined in the next one.

use std::sync::Arc;
use std::time::Duration;

use redis::Script;
use tokio::sync::{mpsc, oneshot};

use super::messages::key;
use super::scripts::GRANT;
use crate::limits::rate::{Counter, LimitsDown, Rate};
use crate::limits::windows::{Window, Windows};
use crate::redis::Redis;

/// Counters of one call.
const COUNTERS_PER_CALL: usize = 128;

pub(super) struct Grants(mpsc::UnboundedSender<Asked>);

struct Asked {
    counter: Counter,
    rate: Rate,
    /// A block is this part of what is left; 0: nothing is granted.
    parts: u32,
    at: Duration,
    answer: oneshot::Sender<Result<Window, LimitsDown>>,
}

/// Permits, what is left of the window, milliseconds until its end, its end, whether no more will come, whether what this
/// process had counts in it.
type Granted = (u32, u32, u64, u64, bool, bool);

/// On behalf of this process.
pub(super) struct Asker {
    pub(super) redis: Redis,
    pub(super) granted: Arc<Windows>,
    pub(super) process: String,
    pub(super) channel: String,
}

impl Grants {
    /// Asks until this is dropped.
    pub(super) fn start(asker: Asker) -> Self {
        let (sender, asked) = mpsc::unbounded_channel();
        tokio::spawn(asker.serve(asked));
        Self(sender)
    }

    /// The window as it was granted. It is added to those of the process even if this caller is cancelled.
    pub(super) async fn ask(
        &self,
        counter: Counter,
        rate: Rate,
        parts: u32,
        now: Duration,
    ) -> Result<Window, LimitsDown> {
        let (answer, answered) = oneshot::channel();
        self.0.send(Asked { counter, rate, parts, at: now, answer }).map_err(|_| LimitsDown)?;
        answered.await.unwrap_or(Err(LimitsDown))
    }
}

impl Asker {
    async fn serve(self, mut asked: mpsc::UnboundedReceiver<Asked>) {
        let (script, mut batch) = (Script::new(GRANT), Vec::new());
        while asked.recv_many(&mut batch, COUNTERS_PER_CALL).await > 0 {
            let answers = self.call(&script, &batch).await;
            for (n, asked) in batch.drain(..).enumerate() {
                let granted = answers.as_ref().ok().and_then(|answers| answers.get(n));
                let window = granted.map(|granted| asked.window(*granted)).ok_or(LimitsDown);
                if let (Ok(window), Some((.., counts))) = (window, granted) {
                    self.granted.add(asked.counter, window, *counts);
                }
                let _gone: Result<(), _> = asked.answer.send(window);
            }
        }
    }

    async fn call(&self, script: &Script, batch: &[Asked]) -> Result<Vec<Granted>, LimitsDown> {
        let mut call = script.prepare_invoke();
        call.arg(&self.process).arg(&self.channel);
        for Asked { counter, rate, parts, .. } in batch {
            let length = u64::try_from(rate.window.as_millis()).unwrap_or(u64::MAX).max(1);
            let (id, total) = self.granted.held(*counter);
            call.key(key(&self.redis, *counter)).arg(rate.limit).arg(length).arg(parts).arg(id).arg(total);
        }
        self.redis.invoke(&call).await.map_err(|_| LimitsDown)
    }
}

impl Asked {
    fn window(&self, (permits, left, remaining_ms, id, exhausted, _): Granted) -> Window {
        // From before the call: no permit is used after the window's end.
        let ends_at = self.at + Duration::from_millis(remaining_ms);
        Window { left, exhausted, id, ..Window::new(self.rate, permits, ends_at) }
    }
}
