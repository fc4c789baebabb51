//! Counts allocations, for `bench http`: the C library's allocator instead of the usual one, with a counter.

use std::alloc::System;
use std::time::Duration;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const SAMPLE_INTERVAL: Duration = Duration::from_millis(50);

/// Keeps the metric up to date as long as the process runs.
pub(crate) async fn report() {
    let mut tick = tokio::time::interval(SAMPLE_INTERVAL);
    loop {
        tick.tick().await;
        let stats = ALLOCATOR.stats();
        let count = (stats.allocations + stats.reallocations) as u64;
        metrics::counter!("guildhall_allocations_total").absolute(count);
    }
}
