use std::future::{pending, ready};

use tokio::time::interval;

use super::*;

/// On a loaded machine.
const WAIT_LIMIT: Duration = Duration::from_secs(10);

fn refused() -> std::future::Ready<Result<(), &'static str>> {
    ready(Err("refused"))
}

async fn until_open(breaker: &Breaker) {
    tokio::time::timeout(WAIT_LIMIT, breaker.opened()).await.expect("it opens");
}

#[tokio::test]
async fn it_opens_while_a_probe_waits_and_closes_when_one_succeeds() {
    let (breaker, began) = (Breaker::default(), Instant::now());
    let probe = breaker.probe(pending::<Result<(), ()>>());
    tokio::select! {
        _ = probe => unreachable!("it has no end"),
        () = until_open(&breaker) => {}
    }
    assert!(began.elapsed() >= SILENCE_LIMIT && breaker.is_open());
    assert!(breaker.probe(refused()).await.is_err() && breaker.is_open());
    assert!(!breaker.closed_within(Duration::MAX), "the outage goes on");
    breaker.probe(ready(Ok::<_, ()>(()))).await.unwrap();
    assert!(!breaker.is_open() && breaker.closed_within(WAIT_LIMIT));
}

#[tokio::test]
async fn failed_probes_open_it_only_after_silence() {
    let breaker = Breaker::default();
    breaker.answered();
    let answered = Instant::now();
    assert!(breaker.probe(refused()).await.is_err() && !breaker.is_open());
    breaker.silence(answered).await;
    assert!(answered.elapsed() >= SILENCE_LIMIT);
    assert!(breaker.probe(refused()).await.is_err() && breaker.is_open());
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_waits_after_one_that_was_refused_opens_it_as_soon_as_one_that_waits() {
    let (breaker, began) = (Breaker::default(), Instant::now());
    breaker.answered();
    assert!(breaker.probe(refused()).await.is_err() && !breaker.is_open());
    tokio::time::sleep(Duration::from_millis(250)).await;
    tokio::select! {
        _ = breaker.probe(pending::<Result<(), ()>>()) => unreachable!("it has no end"),
        () = until_open(&breaker) => {}
    }
    let took = began.elapsed();
    assert!(took < SILENCE_LIMIT + Duration::from_millis(10), "{took:?}");
    // After an answer it begins anew.
    breaker.probe(ready(Ok::<_, ()>(()))).await.unwrap();
    tokio::time::sleep(2 * SILENCE_LIMIT).await;
    breaker.answered();
    assert!(breaker.probe(refused()).await.is_err() && !breaker.is_open());
    tokio::select! {
        _ = breaker.probe(pending::<Result<(), ()>>()) => unreachable!("it has no end"),
        () = until_open(&breaker) => panic!("it was answered just now"),
        () = tokio::time::sleep(SILENCE_LIMIT / 2) => {}
    }
}

#[tokio::test]
async fn a_slow_database_keeps_it_closed() {
    let breaker = Breaker::default();
    let answers = async {
        let (end, mut tick) = (Instant::now() + 2 * SILENCE_LIMIT, interval(Duration::from_millis(20)));
        while tick.tick().await < end {
            breaker.answered();
        }
    };
    tokio::select! {
        _ = breaker.probe(pending::<Result<(), ()>>()) => unreachable!("it has no end"),
        () = until_open(&breaker) => panic!("statements were answered"),
        () = answers => {}
    }
}
