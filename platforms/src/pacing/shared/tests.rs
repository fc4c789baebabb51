//! The scripts keep the same promises as the state machine. They need a Redis: `GUILDHALL_TEST_REDIS_URL`.

use std::time::{Duration, Instant};

use super::*;
use crate::Priority::{Bulk, Interactive};
use crate::pacing::{Bucket, Pacer, Pause, SECOND};

async fn redis(test: &str) -> Option<Redis> {
    let Ok(url) = std::env::var("GUILDHALL_TEST_REDIS_URL") else {
        eprintln!("skipped {test}: GUILDHALL_TEST_REDIS_URL is not set");
        return None;
    };
    let prefix = format!("test-{:016x}", rand::random::<u64>());
    Some(Redis::connect(&url, &prefix).await.expect("the test Redis answers"))
}

fn rules(rate: &str) -> Rules {
    Rules::chat(rate.parse().unwrap())
}

fn ask(priority: Priority) -> Ask {
    Ask { route: "GET /x", major: 7, priority }
}

fn heard() -> Answered {
    Answered { heard: true, ..Answered::default() }
}

async fn granted(pace: &SharedPace, rate: &str, priority: Priority) -> u64 {
    match pace.acquire(rules(rate), &ask(priority)).await.unwrap() {
        Verdict::Granted(permit) => permit,
        other => panic!("{other:?}"),
    }
}

/// How many permits there are in a row, and what came instead of the next.
async fn grants(pace: &SharedPace, rate: &str, priority: Priority) -> (usize, Verdict) {
    for taken in 0..1000 {
        match pace.acquire(rules(rate), &ask(priority)).await.unwrap() {
            Verdict::Granted(_) => {}
            refused => return (taken, refused),
        }
    }
    panic!("permits have no end")
}

/// A pace whose only route is known to have no bucket, and whose first permit came back.
async fn known(redis: Redis) -> SharedPace {
    let pace = SharedPace::new(redis, "chat");
    let permit = granted(&pace, "50", Interactive).await;
    pace.finish(Rules { window: 0, ..rules("50") }, permit, &ask(Interactive), &heard()).await.unwrap();
    pace
}

#[tokio::test]
async fn bulk_leaves_a_share_to_interactive_calls_that_are_about() {
    let Some(redis) = redis("bulk_leaves_a_share_to_interactive_calls_that_are_about").await else { return };
    let pace = known(redis).await;
    // At full speed one has to wait for the even pace; slowly it gets to the reserve.
    let (burst, refused) = grants(&pace, "50", Bulk).await;
    assert!(burst >= 5 && matches!(refused, Verdict::Full(1..=POLL)), "{burst} {refused:?}");
    let mut taken = burst;
    while taken < 48 {
        match pace.acquire(rules("50"), &ask(Bulk)).await.unwrap() {
            Verdict::Granted(_) => taken += 1,
            Verdict::Full(wait) => tokio::time::sleep(Duration::from_micros(wait)).await,
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(grants(&pace, "50", Bulk).await, (0, Verdict::Full(_))));
    assert_eq!(grants(&pace, "50", Interactive).await.0, 2);
}

#[tokio::test]
async fn a_permit_comes_back_one_window_after_its_answer() {
    let Some(redis) = redis("a_permit_comes_back_one_window_after_its_answer").await else { return };
    let pace = known(redis).await;
    let permit = granted(&pace, "1", Bulk).await;
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert!(matches!(pace.acquire(rules("1"), &ask(Bulk)).await.unwrap(), Verdict::Full(_)));
    pace.finish(rules("1"), permit, &ask(Bulk), &heard()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(800)).await;
    assert!(matches!(pace.acquire(rules("1"), &ask(Bulk)).await.unwrap(), Verdict::Full(_)));
    tokio::time::sleep(Duration::from_millis(210)).await;
    granted(&pace, "1", Bulk).await;
}

#[tokio::test]
async fn a_server_clock_that_is_set_back_holds_nobody_up_for_longer_than_a_window() {
    let Some(redis) = redis("a_server_clock_that_is_set_back_holds_nobody_up").await else { return };
    let mut pace = known(redis).await;
    let late = 10_000_000 * SECOND;
    pace.now = Some(late);
    while granted_now(&pace, Bulk).await {}
    assert!(grants(&pace, "50", Interactive).await.0 >= 40);
    let early = late - 3_600 * SECOND;
    pace.now = Some(early);
    assert!(!granted_now(&pace, Interactive).await, "the permits are still held");
    pace.now = Some(early + SECOND);
    assert!(granted_now(&pace, Interactive).await);
    assert!(granted_now(&pace, Bulk).await);
}

async fn granted_now(pace: &SharedPace, priority: Priority) -> bool {
    matches!(pace.acquire(rules("50"), &ask(priority)).await.unwrap(), Verdict::Granted(_))
}

#[tokio::test]
async fn the_first_call_goes_alone_and_teaches_the_bucket() {
    let Some(redis) = redis("the_first_call_goes_alone_and_teaches_the_bucket").await else { return };
    let pace = SharedPace::new(redis, "chat");
    let permit = granted(&pace, "50", Bulk).await;
    assert_eq!(grants(&pace, "50", Bulk).await, (0, Verdict::Probing));
    let bucket = |remaining| Some(Bucket { id: "b".into(), limit: 5, remaining, reset_after: SECOND });
    let answered = Answered { bucket: bucket(4), ..heard() };
    pace.finish(rules("50"), permit, &ask(Bulk), &answered).await.unwrap();
    let (taken, refused) = grants(&pace, "50", Bulk).await;
    assert!(
        taken == 4 && matches!(refused, Verdict::Paused(wait) if wait <= 2 * SECOND),
        "{taken} {refused:?}"
    );
    // An answer that has not seen the calls under way does not refill the bucket.
    let late = Answered { bucket: bucket(3), ..heard() };
    pace.finish(rules("50"), permit, &ask(Bulk), &late).await.unwrap();
    assert!(matches!(grants(&pace, "50", Bulk).await, (0, Verdict::Paused(_))));
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert_eq!(grants(&pace, "50", Bulk).await.0, 5);
}

#[tokio::test]
async fn a_pause_holds_its_bucket_and_a_global_one_everything() {
    let Some(redis) = redis("a_pause_holds_its_bucket_and_a_global_one_everything").await else { return };
    let pace = known(redis).await;
    let other = Ask { major: 8, ..ask(Interactive) };
    let pause = |global, wait| Answered { pause: Some(Pause { global, wait }), invalid: true, ..heard() };
    let permit = granted(&pace, "50", Interactive).await;
    pace.finish(rules("50"), permit, &ask(Interactive), &pause(false, 20 * SECOND)).await.unwrap();
    assert!(
        matches!(grants(&pace, "50", Interactive).await, (0, Verdict::Paused(wait)) if wait > 19 * SECOND)
    );
    let Verdict::Granted(permit) = pace.acquire(rules("50"), &other).await.unwrap() else {
        panic!("the other guild is not paused")
    };
    pace.finish(rules("50"), permit, &other, &pause(true, 5 * SECOND)).await.unwrap();
    let paused = pace.acquire(rules("50"), &other).await.unwrap();
    assert!(
        matches!(paused, Verdict::Paused(wait) if (4 * SECOND..=5 * SECOND).contains(&wait)),
        "{paused:?}"
    );
}

#[tokio::test]
async fn too_many_invalid_answers_silence_bulk_only() {
    let Some(redis) = redis("too_many_invalid_answers_silence_bulk_only").await else { return };
    let pace = known(redis).await;
    let refused = Answered { invalid: true, ..heard() };
    for _ in 0..INVALID_LIMIT {
        pace.finish(rules("50"), 1, &ask(Bulk), &refused).await.unwrap();
    }
    assert!(matches!(grants(&pace, "50", Bulk).await, (0, Verdict::Silenced(wait)) if wait > 600 * SECOND));
    granted(&pace, "50", Interactive).await;
}

#[tokio::test]
async fn without_redis_bulk_is_refused_and_interactive_goes_on_slower() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("redis://{}/0", listener.local_addr().unwrap());
    drop(listener);
    let pace = SharedPace::new(Redis::lazy(&url, "test").unwrap(), "chat");
    let pacer = Pacer::new(rules("50"), Some(pace));
    let refused = pacer.acquire(ask(Bulk)).await.err().unwrap();
    assert!(refused.is_retryable(), "{refused}");
    let started = Instant::now();
    for _ in 0..13 {
        pacer.acquire(ask(Interactive)).await.unwrap().finish(&heard()).await;
    }
    assert!(
        started.elapsed() >= Duration::from_millis(900),
        "a quarter of the rate: {:?}",
        started.elapsed()
    );
}
