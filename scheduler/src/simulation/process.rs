//! A simulated process: the real candidate and the real ticker on a clock of its own, driven step by step, so that it
//! can die or freeze at any point where it waits.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::future::{BoxFuture, join, join_all};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use runtime::Context;

use super::fate::{Fate, Harm, Point};
use super::ledger::{BATCHES, Ledger};
use crate::leader::{BEAT_EVERY, Candidate, Leadership};
use crate::schedules::Schedule;
use crate::ticks::{Run, Ticker};

pub(super) struct Process {
    pub(super) context: Context,
    pub(super) leadership: Leadership,
    candidate: Arc<tokio::sync::Mutex<Candidate>>,
    ticker: Arc<Ticker>,
    ledger: Arc<Ledger>,
    random: StdRng,
    /// A beat or a look in the middle of which it was frozen.
    under_way: Option<BoxFuture<'static, Vec<Run>>>,
    runs: Vec<Live>,
    next_beat: Duration,
    beat_was_cut: bool,
    /// What is going to happen to it.
    pub(super) fate: Option<Fate>,
    /// No sweep fails or is slow any more.
    pub(super) sane: bool,
}

struct Live {
    id: usize,
    schedule: &'static str,
    /// Batches it does in one turn.
    pace: u32,
    run: BoxFuture<'static, ()>,
    ended: bool,
}

/// What a turn came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// It did all that it had to. If it looked as leader: the schedules of which it had a run meanwhile.
    Done(Option<Vec<&'static str>>),
    Met(Harm),
}

impl Process {
    pub(super) fn start(
        context: Context,
        (ledger, table): (&Arc<Ledger>, &'static [Schedule]),
        random: &mut StdRng,
    ) -> Self {
        let context = Context { prefix: format!("p{:x}", random.random::<u64>()), ..context };
        ledger.serve(&context.prefix);
        let candidate = Candidate::new(&context);
        let leadership = candidate.leadership.clone();
        Self {
            ticker: Arc::new(Ticker::new(context.clone(), leadership.clone(), table)),
            candidate: Arc::new(tokio::sync::Mutex::new(candidate)),
            leadership,
            context,
            ledger: Arc::clone(ledger),
            random: StdRng::seed_from_u64(random.random()),
            under_way: None,
            runs: Vec::new(),
            next_beat: Duration::ZERO,
            beat_was_cut: false,
            fate: None,
            sane: false,
        }
    }

    /// One second of its life.
    pub(super) async fn turn(&mut self) -> Turn {
        let mut left = match self.fate {
            Some(Fate { point: Point::Start, harm, .. }) => return self.met(harm),
            Some(Fate { point: Point::Wait(waits), .. }) => waits,
            _ => u32::MAX,
        };
        let led = self.leadership.leads();
        if !led {
            self.disturb("led no more");
        }
        // What it was at when it was frozen comes first: it may hold a connection.
        let frozen_in = self.under_way.take();
        let was_frozen = frozen_in.is_some();
        if !was_frozen && self.runs.iter().any(|live| !self.ledger.waits(live.id)) {
            self.let_go_on(&mut u32::MAX.clone()).await;
        }
        let mut step = frozen_in.unwrap_or_else(|| self.step());
        let Some(runs) = up_to(&mut left, &mut step).await else {
            self.under_way = Some(step);
            return self.meet();
        };
        for run in runs {
            self.enter(run, was_frozen);
        }
        let looked = led && !was_frozen;
        let busy = looked.then(|| self.runs.iter().map(|live| live.schedule).collect());
        if self.at(Point::Claimed) {
            return self.meet();
        }
        let all = self.drive(&mut left).await;
        let fated = !all || self.at(Point::Midway) || self.at(Point::BeforeNoted);
        if fated { self.meet() } else { Turn::Done(busy) }
    }

    /// What its two loops do in this second.
    fn step(&mut self) -> BoxFuture<'static, Vec<Run>> {
        let now = self.context.clock.steady();
        // Turns are whole seconds of true time, which a slow clock shows as a little less.
        let beats = now + Duration::from_millis(500) >= self.next_beat;
        let mut left = u32::MAX;
        if beats {
            self.next_beat = now + BEAT_EVERY;
            // The database does not answer in time, once: whether the sign of life came through, nobody knows.
            self.beat_was_cut = !self.beat_was_cut && self.random.random_bool(0.02);
            if self.beat_was_cut {
                left = self.random.random_range(1..6);
            }
        }
        let (candidate, ticker) = (Arc::clone(&self.candidate), Arc::clone(&self.ticker));
        Box::pin(async move {
            let beat = async {
                let mut beat = Box::pin(async { candidate.lock().await.beat().await.unwrap() });
                if beats {
                    up_to(&mut left, &mut beat).await;
                }
            };
            join(beat, ticker.look()).await.1
        })
    }

    fn enter(&mut self, run: Run, was_frozen: bool) {
        let schedule = run.schedule().name;
        let process = (self.context.prefix.clone(), Arc::clone(&self.leadership.holder));
        let fails_at =
            (!self.sane && self.random.random_bool(0.01)).then(|| self.random.random_range(0..BATCHES));
        let id = self.ledger.claimed(process, (schedule, run.tick), fails_at);
        if was_frozen {
            self.ledger.disturb(id, "frozen");
        }
        // Most are done at once, some take seconds, longer than the time to their next tick.
        let pace = if self.sane || self.random.random_bool(0.9) { BATCHES + 1 } else { 1 };
        self.runs.push(Live { id, schedule, pace, run: Box::pin(run.perform()), ended: false });
    }

    /// Lets every run go on; false when it was stopped in the middle.
    async fn drive(&mut self, left: &mut u32) -> bool {
        for live in &self.runs {
            let done = self.ledger.done(live.id);
            let batches = match self.fate {
                Some(Fate { point: Point::Midway, .. }) => u32::from(done == 0),
                Some(Fate { point: Point::BeforeNoted, .. }) => BATCHES - done,
                _ if self.sane => BATCHES + 1,
                _ => live.pace,
            };
            self.ledger.permit(live.id, batches);
        }
        self.let_go_on(left).await
    }

    async fn let_go_on(&mut self, left: &mut u32) -> bool {
        let ledger = &self.ledger;
        let mut drives = Box::pin(join_all(self.runs.iter_mut().map(|live| live.go_on(ledger))));
        let all = up_to(left, &mut drives).await.is_some();
        drop(drives);
        self.runs.retain(|live| !live.ended);
        all
    }

    fn at(&self, point: Point) -> bool {
        let reached = |live: &Live| match point {
            Point::Claimed => self.ledger.done(live.id) == 0,
            Point::Midway => (1..BATCHES).contains(&self.ledger.done(live.id)),
            _ => self.ledger.done(live.id) == BATCHES,
        };
        self.fate.is_some_and(|fate| fate.point == point) && self.runs.iter().any(reached)
    }

    fn meet(&mut self) -> Turn {
        let harm = self.fate.map_or(Harm::Kill, |fate| fate.harm);
        self.met(harm)
    }

    fn met(&mut self, harm: Harm) -> Turn {
        self.fate = None;
        self.disturb(harm.name());
        Turn::Met(harm)
    }

    pub(super) fn disturb(&self, why: &'static str) {
        for live in &self.runs {
            self.ledger.disturb(live.id, why);
        }
    }

    /// SIGTERM: gives the lease up, and its sweeps end without being noted.
    pub(super) async fn stop(mut self) {
        self.under_way = None;
        self.context.shutdown.begin();
        self.candidate.lock().await.resign().await.unwrap();
        while !self.runs.is_empty() {
            self.drive(&mut u32::MAX.clone()).await;
        }
    }

    /// Whoever has not come to the point where its fate waits meets it now.
    pub(super) fn hurry(&mut self, now: Duration) {
        if let Some(fate) = self.fate.as_mut().filter(|fate| fate.at_the_latest < now) {
            fate.point = Point::Start;
        }
    }
}

impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (holder, steady) = (&self.leadership.holder, self.context.clock.steady());
        write!(f, "{holder} at {steady:?}, next beat {:?}, fate {:?}", self.next_beat, self.fate)
    }
}

impl Live {
    /// Goes on until it has returned or waits for its next turn.
    async fn go_on(&mut self, ledger: &Ledger) {
        poll_fn(|cx| match self.run.as_mut().poll(cx) {
            Poll::Ready(()) => {
                self.ended = true;
                Poll::Ready(())
            }
            Poll::Pending if ledger.waits(self.id) => Poll::Ready(()),
            Poll::Pending => Poll::Pending,
        })
        .await;
    }
}

/// Drives a future until it has had to wait `left` times; then `None`, and what it waited for is not looked at.
async fn up_to<F: Future + ?Sized>(left: &mut u32, future: &mut Pin<Box<F>>) -> Option<F::Output> {
    poll_fn(|cx| {
        if *left == 0 {
            return Poll::Ready(None);
        }
        let polled = future.as_mut().poll(cx).map(Some);
        if polled.is_pending() && *left < u32::MAX {
            *left -= 1;
        }
        polled
    })
    .await
}
