//! Waits for an event in another process or task, with a deadline that fails the test.

use std::fmt::Display;
use std::time::{Duration, Instant};

/// A change by a command or by another process is known everywhere within this time.
pub const FELT: Duration = Duration::from_secs(1);

/// Polls until there is a value. Panics with `what` after the deadline.
pub async fn eventually<T>(what: &str, within: Duration, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    eventually_ok(what, within, async || ask().await.ok_or("")).await
}

/// The same; the panic shows the last error.
pub async fn eventually_ok<T, E: Display>(
    what: &str,
    within: Duration,
    mut ask: impl AsyncFnMut() -> Result<T, E>,
) -> T {
    let deadline = Instant::now() + within;
    let mut pause = Duration::from_millis(20);
    loop {
        let error = match ask().await {
            Ok(answer) => return answer,
            Err(error) => error,
        };
        assert!(Instant::now() < deadline, "not within {within:?}: {what}: {error}");
        tokio::time::sleep(pause).await;
        pause = (pause * 3 / 2).min(Duration::from_millis(400));
    }
}

/// Polls until it is true. Panics after ten seconds.
pub async fn until(condition: impl Fn() -> bool) {
    eventually("it happens", Duration::from_secs(10), async || condition().then_some(())).await;
}
