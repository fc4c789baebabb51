//! Response times of reads and of writes that enqueue a job.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::orders::Orders;
use testkit::Deployment;

/// Enough that two slow answers show in the 99th percentile.
const CALLS: usize = 104;
/// Below the broker's timeouts: a call that waited for the broker would take longer.
const NO_CALL_ABOVE: Duration = Duration::from_secs(2);

pub(crate) struct Felt {
    reads: Vec<Duration>,
    writes: Vec<Duration>,
    /// The jobs that the writes enqueued.
    pub(crate) jobs: HashSet<String>,
}

impl Felt {
    /// Measures sequential calls.
    pub(crate) async fn by_callers(deployment: &Deployment, orders: &Orders<'_>) -> Self {
        orders.renew_keys().await;
        let mut felt = Self { reads: Vec::new(), writes: Vec::new(), jobs: HashSet::new() };
        for _ in 0..CALLS {
            let (job, took) = orders.one().await;
            felt.jobs.insert(job);
            felt.writes.push(took);
        }
        for number in 0..CALLS {
            let api = deployment.api().key(&orders.key(number));
            let asked = Instant::now();
            api.get("/bindings/list").await.ok();
            felt.reads.push(asked.elapsed());
        }
        for times in [&mut felt.reads, &mut felt.writes] {
            times.sort_unstable();
            assert!(times[times.len() - 1] < NO_CALL_ABOVE, "a call took {:?}", times[times.len() - 1]);
        }
        felt
    }

    pub(crate) fn print_beside(&self, before: &Self) {
        for (what, before, during) in
            [("reads", &before.reads, &self.reads), ("enqueueing writes", &before.writes, &self.writes)]
        {
            let shown = [50, 99].map(|percent| {
                let (before, during) = (at(before, percent), at(during, percent));
                let ratio = during.as_secs_f64() / before.as_secs_f64();
                format!("p{percent} {before:.1?} before, {during:.1?} during ({ratio:.2} times)")
            });
            println!("{what} while the broker is away: {}", shown.join("; "));
        }
    }
}

/// The percentile of sorted times.
fn at(times: &[Duration], percent: usize) -> Duration {
    times[(times.len() * percent).div_ceil(100) - 1]
}
