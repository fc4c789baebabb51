//! Permits that are dropped: before their request is sent, and afterwards.

use std::time::Duration;

use tokio::time::Instant;

use super::*;
use crate::pacing::pacer::Pacer;

/// One call a second; the route is known.
async fn pacer() -> Pacer {
    let pacer = Pacer::new(Rules::chat("1".parse().unwrap()), None);
    pacer.acquire(ask(Interactive)).await.unwrap().finish(&heard()).await;
    pacer
}

/// How long the next call waits.
async fn waited(pacer: &Pacer) -> Duration {
    let began = Instant::now();
    drop(pacer.acquire(ask(Interactive)).await.unwrap());
    began.elapsed()
}

#[tokio::test]
async fn a_call_that_is_cancelled_before_it_is_sent_takes_no_permit() {
    let pacer = pacer().await;
    waited(&pacer).await;
    assert!(waited(&pacer).await < Duration::from_millis(500));
}

#[tokio::test]
async fn a_call_that_is_cancelled_after_it_was_sent_takes_its_permit_like_any_other() {
    let pacer = pacer().await;
    waited(&pacer).await;
    let mut permit = pacer.acquire(ask(Interactive)).await.unwrap();
    permit.sending();
    drop(permit);
    assert!(waited(&pacer).await >= Duration::from_millis(900));
}
