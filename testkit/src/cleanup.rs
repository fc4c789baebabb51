//! What tests delete when they end, also when they fail.

use std::time::Duration;

/// A server with injected faults may not respond.
const CLEANED_WITHIN: Duration = Duration::from_secs(10);

/// Waits for the work on a thread of its own: a drop cannot wait for the runtime that it is part of.
pub(crate) fn clean_up(work: impl Future<Output = ()> + Send) {
    let on_thread = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        if runtime.block_on(async { tokio::time::timeout(CLEANED_WITHIN, work).await }).is_err() {
            println!("not cleaned up: a server does not answer");
        }
    };
    // The test has its result already.
    drop(std::thread::scope(|scope| scope.spawn(on_thread).join()));
}
