//! Waits for an event in another process or task, with a deadline that fails the test.

use std::time::{Duration, Instant};

/// Polls until there is a value. Panics with `what` after the deadline.
pub async fn eventually<T>(what: &str, within: Duration, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + within;
    let mut pause = Duration::from_millis(20);
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(Instant::now() < deadline, "not within {within:?}: {what}");
        tokio::time::sleep(pause).await;
        pause = (pause * 3 / 2).min(Duration::from_millis(400));
    }
}

/// Polls until it is true. Panics after ten seconds.
pub async fn until(condition: impl Fn() -> bool) {
    eventually("it happens", Duration::from_secs(10), async || condition().then_some(())).await;
}
