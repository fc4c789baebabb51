//! What the simulated sweeps did: each run of each tick, how far it came, and what became of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::future::poll_fn;
use std::sync::{Arc, LazyLock, Mutex};
use std::task::Poll;
use std::time::Duration;

use entities::Timestamp;
use entities::fired_schedule::{Model as Fired, TOO_FAR_AHEAD};
use runtime::Context;
use sea_orm::DbErr;

/// Steps of a sweep, each with an effect.
pub(super) const BATCHES: u32 = 3;

pub(super) type Tick = (&'static str, Timestamp);

#[derive(Default)]
pub(super) struct Ledger(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    /// True time.
    now: Duration,
    runs: Vec<Run>,
    /// How often each batch of a tick took effect; a sweep's update is guarded, so the first time alone counts.
    effects: HashMap<Tick, [u32; BATCHES as usize]>,
    claimed: BTreeMap<&'static str, BTreeSet<Timestamp>>,
}

/// One run of one tick by one process.
#[derive(Debug)]
struct Run {
    tick: Tick,
    /// In true time.
    began: Duration,
    /// Its process, by the prefix of its context and by the name in the rows.
    process: (String, Arc<str>),
    /// Batches it may do, and whether it has come to wait for more.
    permits: u32,
    waits: bool,
    done: u32,
    fails_at: Option<u32>,
    /// Why another run of the tick may follow.
    disturbed: Option<&'static str>,
}

/// Which ledger a sweep writes in, by the prefix of its process: a schedule's function has only its context.
static LEDGERS: LazyLock<Mutex<HashMap<String, Arc<Ledger>>>> = LazyLock::new(Mutex::default);

/// What a simulated schedule does.
pub(super) async fn sweep(context: &Context, schedule: &'static str) -> Result<u64, DbErr> {
    let ledger = Arc::clone(&LEDGERS.lock().unwrap()[&context.prefix]);
    let run = ledger.begun(&context.prefix, schedule);
    for batch in 0..BATCHES {
        ledger.gate(run).await;
        ledger.apply(run, batch)?;
    }
    // All is done and nothing is noted.
    ledger.gate(run).await;
    Ok(u64::from(BATCHES))
}

impl Ledger {
    pub(super) fn serve(self: &Arc<Self>, prefix: &str) {
        LEDGERS.lock().unwrap().insert(prefix.to_owned(), Arc::clone(self));
    }

    pub(super) fn set_time(&self, now: Duration) {
        self.0.lock().unwrap().now = now;
    }

    /// A process was handed the run of a tick. `fails_at`: the batch it fails at.
    pub(super) fn claimed(&self, process: (String, Arc<str>), tick: Tick, fails_at: Option<u32>) -> usize {
        let mut inner = self.0.lock().unwrap();
        let began = inner.now;
        inner.claimed.entry(tick.0).or_default().insert(tick.1);
        inner.runs.push(Run {
            tick,
            began,
            process,
            permits: 0,
            waits: false,
            done: 0,
            fails_at,
            disturbed: None,
        });
        inner.runs.len() - 1
    }

    fn begun(&self, prefix: &str, schedule: &str) -> usize {
        let inner = self.0.lock().unwrap();
        inner.runs.iter().rposition(|run| run.process.0 == prefix && run.tick.0 == schedule).unwrap()
    }

    async fn gate(&self, run: usize) {
        poll_fn(|_| {
            let run = &mut self.0.lock().unwrap().runs[run];
            run.waits = run.permits == 0;
            if run.waits {
                return Poll::Pending;
            }
            run.permits -= 1;
            Poll::Ready(())
        })
        .await;
    }

    fn apply(&self, run: usize, batch: u32) -> Result<(), DbErr> {
        let mut inner = self.0.lock().unwrap();
        let Inner { runs, effects, .. } = &mut *inner;
        let run = &mut runs[run];
        if run.fails_at == Some(batch) {
            run.disturbed = Some("failed");
            return Err(DbErr::Custom("this simulation means it".to_owned()));
        }
        effects.entry(run.tick).or_default()[batch as usize] += 1;
        run.done += 1;
        Ok(())
    }

    pub(super) fn permit(&self, run: usize, batches: u32) {
        let run = &mut self.0.lock().unwrap().runs[run];
        run.permits += batches;
        run.waits = false;
    }

    pub(super) fn waits(&self, run: usize) -> bool {
        self.0.lock().unwrap().runs[run].waits
    }

    /// Batches done.
    pub(super) fn done(&self, run: usize) -> u32 {
        self.0.lock().unwrap().runs[run].done
    }

    pub(super) fn disturb(&self, run: usize, why: &'static str) {
        self.0.lock().unwrap().runs[run].disturbed.get_or_insert(why);
    }

    /// Whether a run of the schedule failed after `since`: it is repeated in a while, and the next tick waits for it.
    pub(super) fn has_failed(&self, schedule: &str, since: Duration) -> bool {
        let inner = self.0.lock().unwrap();
        let failed = |run: &Run| run.tick.0 == schedule && run.disturbed == Some("failed");
        inner.runs.iter().rev().take_while(|run| run.began >= since).any(failed)
    }

    /// Whether the tick or one soon after it is known to be claimed.
    pub(super) fn covers(&self, (schedule, tick): Tick) -> bool {
        let inner = self.0.lock().unwrap();
        let claimed = inner.claimed.get(schedule);
        claimed.is_some_and(|ticks| ticks.range(tick..=tick + TOO_FAR_AHEAD).next().is_some())
    }

    pub(super) fn ticks(&self) -> usize {
        self.0.lock().unwrap().claimed.values().map(BTreeSet::len).sum()
    }

    /// None missed, none doubled, by the rows in the end. Returns how often runs were disturbed, by reason.
    pub(super) fn settle(&self, rows: &[Fired]) -> BTreeMap<&'static str, usize> {
        let inner = self.0.lock().unwrap();
        let mut runs: HashMap<(&str, Timestamp), Vec<&Run>> = HashMap::new();
        for run in &inner.runs {
            runs.entry((run.tick.0, run.tick.1)).or_default().push(run);
        }
        for row in rows.iter().filter(|row| row.outcome.as_deref() != Some("began")) {
            assert!(row.finished_at.is_some(), "never ended: {row:?}");
            let of_tick = runs.remove(&(row.schedule.as_str(), row.tick)).unwrap_or_default();
            let by_holder = |run: &&Run| *run.process.1 == *row.holder && run.disturbed != Some("failed");
            let noted = of_tick.iter().copied().rfind(by_holder);
            let noted = noted.unwrap_or_else(|| panic!("noted, and nobody ran it: {row:?}, {of_tick:?}"));
            assert_eq!(noted.done, BATCHES, "noted before it was done: {row:?}, {of_tick:?}");
            let mut others = of_tick.iter().filter(|run| !std::ptr::eq(**run, noted));
            let undisturbed = others.find(|run| run.disturbed.is_none());
            assert!(undisturbed.is_none(), "run again without a reason: {row:?}, {of_tick:?}");
            let effects = inner.effects[&noted.tick];
            assert!(effects.iter().all(|times| *times >= 1), "{row:?}");
            assert!(of_tick.len() > 1 || effects == [1; BATCHES as usize], "one run, {effects:?}: {row:?}");
        }
        assert!(runs.is_empty(), "runs of ticks that nobody claimed: {runs:?}");
        let mut disturbed = BTreeMap::new();
        for why in inner.runs.iter().filter_map(|run| run.disturbed) {
            *disturbed.entry(why).or_default() += 1;
        }
        disturbed
    }
}
