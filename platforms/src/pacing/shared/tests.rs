//! The scripts keep the same guarantees as the state machine.

mod private_server;

use std::time::{Duration, Instant};

use testkit::{Namespace, Servers, eventually};

use super::*;
use crate::context::Priority::{Bulk, Interactive, Stranger};
use crate::pacing::answered::{Bucket, Pause};
use crate::pacing::end::Source;
use crate::pacing::numbers::{BULK_INVALID_LIMIT, INVALID_LIMIT, SECOND, STRANGER_INVALID_LIMIT};
use crate::pacing::pacer::Pacer;
use crate::pacing::permit::Wanted;
use crate::pacing::sources::Sources;

const START: Micros = 1_000 * SECOND;

fn rules(rate: &str) -> Rules {
    Rules::chat(rate.parse().unwrap())
}

fn ask(priority: Priority) -> Ask {
    Ask { route: "GET /x", major: 7, priority }
}

fn heard() -> Answered {
    Answered { heard: true, ..Answered::default() }
}

/// Requests a new permit.
async fn asked(pace: &SharedPace, rate: &str, ask: &Ask) -> Result<u64, Verdict> {
    let permit = rand::random();
    match pace.acquire(rules(rate), permit, ask).await.unwrap() {
        Verdict::Granted => Ok(permit),
        other => Err(other),
    }
}

async fn granted(pace: &SharedPace, rate: &str, priority: Priority) -> u64 {
    asked(pace, rate, &ask(priority)).await.unwrap()
}

async fn finish(pace: &SharedPace, rules: Rules, permit: u64, ask: &Ask, answered: &Answered) {
    let end = End { id: permit, ask: ask.clone(), answered: Some(answered.clone()), void: false };
    pace.end(rules, &end).await.unwrap();
}

/// The number of permits granted in a row, and the verdict after them.
async fn grants(pace: &SharedPace, rate: &str, priority: Priority) -> (usize, Verdict) {
    for taken in 0..1000 {
        if let Err(refused) = asked(pace, rate, &ask(priority)).await {
            return (taken, refused);
        }
    }
    panic!("permits have no end")
}

/// A pace whose only route has no bucket, and whose first permit was returned.
async fn known(redis: Redis) -> SharedPace {
    after_a_permit(SharedPace::new(redis, "chat")).await
}

/// The same on a clock of its own, which stands at `now`.
async fn known_at(redis: Redis, now: Micros) -> SharedPace {
    let mut pace = after_a_permit(at(redis, now - 1)).await;
    pace.now = Some(now);
    pace
}

fn at(redis: Redis, now: Micros) -> SharedPace {
    let mut pace = SharedPace::new(redis, "chat");
    pace.now = Some(now);
    pace
}

async fn after_a_permit(pace: SharedPace) -> SharedPace {
    let permit = granted(&pace, "50", Interactive).await;
    finish(&pace, Rules { window: 0, ..rules("50") }, permit, &ask(Interactive), &heard()).await;
    pace
}

#[tokio::test]
async fn bulk_leaves_a_share_while_interactive_calls_are_active() {
    let namespace = Namespace::new(Servers::from_env());
    let redis = namespace.redis().await;
    let mut now = START;
    let mut pace = known_at(redis, now).await;
    // At full speed bulk has to wait for the even pace; slower it reaches the reserve.
    let (burst, refused) = grants(&pace, "50", Bulk).await;
    assert!(burst >= 5 && matches!(refused, Verdict::Full(1..=LONGEST_POLL)), "{burst} {refused:?}");
    let mut taken = burst;
    while taken < 48 {
        match asked(&pace, "50", &ask(Bulk)).await {
            Ok(_) => taken += 1,
            Err(Verdict::Full(wait)) => {
                now += wait;
                pace.now = Some(now);
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(matches!(grants(&pace, "50", Bulk).await, (0, Verdict::Full(_))));
    assert_eq!(grants(&pace, "50", Interactive).await.0, 2);
}

#[tokio::test]
async fn a_permit_comes_back_one_window_after_its_answer() {
    let namespace = Namespace::new(Servers::from_env());
    let redis = namespace.redis().await;
    let mut pace = known_at(redis, START).await;
    let permit = granted(&pace, "1", Bulk).await;
    let answered = START + SECOND * 11 / 10;
    pace.now = Some(answered);
    assert!(matches!(asked(&pace, "1", &ask(Bulk)).await, Err(Verdict::Full(_))));
    finish(&pace, rules("1"), permit, &ask(Bulk), &heard()).await;
    pace.now = Some(answered + SECOND - 1);
    assert!(matches!(asked(&pace, "1", &ask(Bulk)).await, Err(Verdict::Full(_))));
    pace.now = Some(answered + SECOND);
    granted(&pace, "1", Bulk).await;
}

/// A request without a response was repeated; then it arrives after all.
#[tokio::test]
async fn a_late_request_for_a_permit_that_ended_takes_none() {
    let namespace = Namespace::new(Servers::from_env());
    let redis = namespace.redis().await;
    let (now, later) = (known_at(redis.clone(), START).await, at(redis.clone(), START + 2 * SECOND));
    let sources = Sources::new(rules("50"), Some(at(redis, START)));
    let arrives =
        async |pace: &SharedPace, id| pace.acquire(rules("50"), id, &ask(Interactive)).await.unwrap();
    for source in [Source::Shared, Source::Alone] {
        let mut wanted = Wanted::new(&sources, ask(Interactive));
        wanted.doubtful = true;
        let id = wanted.id;
        assert_eq!(arrives(&now, id).await, Verdict::Granted);
        let permit = wanted.granted(source).unwrap();
        if source == Source::Shared {
            for _ in 0..20 {
                assert_eq!(arrives(&later, id).await, Verdict::Granted, "it is held: the same one");
            }
            permit.finish(&heard()).await;
            assert!(matches!(arrives(&later, id).await, Verdict::Full(_)));
        } else {
            let voided = async || matches!(arrives(&later, id).await, Verdict::Full(_)).then_some(());
            eventually("the one of Redis is released", Duration::from_secs(5), voided).await;
            permit.finish(&heard()).await;
        }
    }
}

#[tokio::test]
async fn a_server_clock_set_back_delays_calls_by_a_window_at_most() {
    let namespace = Namespace::new(Servers::from_env());
    let redis = namespace.redis().await;
    let mut pace = known(redis).await;
    let late = 10_000_000 * SECOND;
    pace.now = Some(late);
    while granted_now(&pace, Bulk).await {}
    assert!(grants(&pace, "50", Interactive).await.0 >= 40);
    assert!(granted_now(&pace, Bulk).await, "the one it is owed");
    let early = late - 3_600 * SECOND;
    pace.now = Some(early);
    assert!(!granted_now(&pace, Interactive).await, "the permits are still held");
    pace.now = Some(early + SECOND);
    assert!(granted_now(&pace, Interactive).await);
    assert!(granted_now(&pace, Bulk).await);
}

async fn granted_now(pace: &SharedPace, priority: Priority) -> bool {
    asked(pace, "50", &ask(priority)).await.is_ok()
}

#[tokio::test]
async fn the_first_call_runs_alone_and_learns_the_bucket() {
    let namespace = Namespace::new(Servers::from_env());
    let redis = namespace.redis().await;
    let mut pace = at(redis, START);
    let permit = granted(&pace, "50", Bulk).await;
    assert_eq!(grants(&pace, "50", Bulk).await, (0, Verdict::Probing));
    let bucket = |remaining| Some(Bucket { id: "b".into(), limit: 5, remaining, reset_after: SECOND });
    let answered = Answered { bucket: bucket(4), ..heard() };
    finish(&pace, rules("50"), permit, &ask(Bulk), &answered).await;
    let (taken, refused) = grants(&pace, "50", Bulk).await;
    assert!(
        taken == 4 && matches!(refused, Verdict::Paused(wait) if wait <= 2 * SECOND),
        "{taken} {refused:?}"
    );
    // An answer that does not include the calls in flight does not refill the bucket.
    let late = Answered { bucket: bucket(3), ..heard() };
    finish(&pace, rules("50"), permit, &ask(Bulk), &late).await;
    assert!(matches!(grants(&pace, "50", Bulk).await, (0, Verdict::Paused(_))));
    pace.now = Some(START + SECOND * 11 / 10);
    assert_eq!(grants(&pace, "50", Bulk).await.0, 1, "four of the five may still arrive");
}

#[tokio::test]
async fn a_pause_holds_its_bucket_and_a_global_one_everything() {
    let namespace = Namespace::new(Servers::from_env());
    let redis = namespace.redis().await;
    let pace = known(redis).await;
    let other = Ask { major: 8, ..ask(Interactive) };
    let pause = |global, wait| Answered { pause: Some(Pause { global, wait }), invalid: true, ..heard() };
    let permit = granted(&pace, "50", Interactive).await;
    finish(&pace, rules("50"), permit, &ask(Interactive), &pause(false, 20 * SECOND)).await;
    assert!(
        matches!(grants(&pace, "50", Interactive).await, (0, Verdict::Paused(wait)) if wait > 19 * SECOND)
    );
    let permit = asked(&pace, "50", &other).await.expect("the other guild is not paused");
    finish(&pace, rules("50"), permit, &other, &pause(true, 5 * SECOND)).await;
    let paused = asked(&pace, "50", &other).await;
    assert!(
        matches!(paused, Err(Verdict::Paused(wait)) if (4 * SECOND..=5 * SECOND).contains(&wait)),
        "{paused:?}"
    );
}

#[tokio::test]
async fn too_many_invalid_answers_pause_strangers_then_bulk_then_all() {
    let namespace = Namespace::new(Servers::from_env());
    let redis = namespace.redis().await;
    let pace = known(redis).await;
    let refused = Answered { invalid: true, ..heard() };
    let refuse = async |times: u32| {
        for _ in 0..times {
            let permit = granted(&pace, "50", Interactive).await;
            finish(&pace, Rules { window: 0, ..rules("50") }, permit, &ask(Interactive), &refused).await;
        }
    };
    let silenced = async |priority| match grants(&pace, "50", priority).await {
        (0, Verdict::Silenced(wait)) => wait > 540 * SECOND,
        _ => false,
    };
    refuse(STRANGER_INVALID_LIMIT).await;
    assert!(silenced(Stranger).await && !silenced(Bulk).await);
    refuse(BULK_INVALID_LIMIT - STRANGER_INVALID_LIMIT).await;
    assert!(silenced(Bulk).await);
    refuse(INVALID_LIMIT - BULK_INVALID_LIMIT).await;
    assert!(silenced(Interactive).await);
}

#[tokio::test]
async fn without_redis_bulk_is_refused_and_interactive_continues_slower() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("redis://{}/0", listener.local_addr().unwrap());
    drop(listener);
    let pace = SharedPace::new(Redis::lazy(&url, "test").unwrap(), "chat");
    let pacer = Pacer::new(rules("50"), Some(pace));
    let (refused, ()) = tokio::join!(pacer.acquire(ask(Bulk)), goes_on_slower(&pacer));
    assert!(refused.err().unwrap().is_retryable());
}

async fn goes_on_slower(pacer: &Pacer) {
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

#[tokio::test]
async fn what_redis_lost_is_waited_for_and_the_processes_are_counted() {
    let namespace = Namespace::new(Servers::from_env());
    let redis = namespace.redis().await;
    let mut one = SharedPace::new(redis.clone(), "chat");
    let mut two = SharedPace::new(redis.clone(), "chat");
    for pace in [&mut one, &mut two] {
        pace.now = Some(START);
        asked(pace, "50", &ask(Interactive)).await.ok();
    }
    assert_eq!((one.processes(), two.processes()), (Some(1), Some(2)));
    asked(&one, "50", &ask(Interactive)).await.ok();
    assert_eq!(one.processes(), Some(2));
    // All is lost; a new process, which has sent nothing, begins anew.
    let mut keys: Vec<String> = Vec::new();
    let mut connection = redis.connection().await.unwrap();
    keys.extend(
        redis::cmd("KEYS")
            .arg(format!("{}*", one.base))
            .query_async::<Vec<String>>(&mut connection)
            .await
            .unwrap(),
    );
    redis::cmd("DEL").arg(keys).query_async::<i64>(&mut connection).await.unwrap();
    let mut new = SharedPace::new(redis, "chat");
    new.now = Some(START + SECOND / 2);
    asked(&new, "50", &ask(Interactive)).await.unwrap();
    one.now = Some(START + SECOND / 2 + SECOND / 10);
    let held = asked(&one, "50", &ask(Interactive)).await;
    assert_eq!(held, Err(Verdict::Paused(SECOND * 9 / 10)), "one window from the new beginning");
    assert!(matches!(asked(&new, "50", &ask(Bulk)).await, Err(Verdict::Paused(_))), "for all");
    for pace in [&mut one, &mut two, &mut new] {
        pace.now = Some(START + SECOND * 3 / 2 + 1);
        assert!(!matches!(asked(pace, "50", &ask(Interactive)).await, Err(Verdict::Paused(_))));
    }
}
