use std::collections::HashMap;

use futures_util::future::join_all;
use testkit::eventually;

use super::*;
use crate::redis::tests::test_redis;

const KEY: Counter = Counter::Key(7, "ban_status");
const MINUTE: Duration = Duration::from_mins(1);

/// A process that takes permits in advance, alone.
fn joined(redis: Redis, clock: Clock) -> SharedWindows {
    let windows = SharedWindows::new(redis, clock);
    windows.0.joined.store(true, Ordering::Relaxed);
    windows
}

/// Processes that share a Redis.
struct Processes {
    redis: Redis,
    windows: Vec<SharedWindows>,
    shutdowns: Vec<Shutdown>,
}

impl Processes {
    /// `None`, with a line that reports it, where there is no Redis.
    async fn start(test: &str, count: usize) -> Option<Self> {
        let redis = test_redis(test).await?;
        let windows: Vec<_> =
            (0..count).map(|_| SharedWindows::new(redis.clone(), Clock::system())).collect();
        let shutdowns: Vec<_> = windows.iter().map(|_| Shutdown::new()).collect();
        for (windows, shutdown) in windows.iter().zip(&shutdowns) {
            windows.join(shutdown);
        }
        let mut connection = redis.connection().await.unwrap();
        loop {
            let (_, listening): (String, usize) = redis::cmd("PUBSUB")
                .arg("NUMSUB")
                .arg(&windows[0].0.channel)
                .query_async(&mut connection)
                .await
                .unwrap();
            if listening == count {
                return Some(Self { redis, windows, shutdowns });
            }
            tokio::task::yield_now().await;
        }
    }

    async fn take(&self, process: usize, rate: Rate) -> Decision {
        self.windows[process].take(KEY, rate).await.unwrap()
    }

    /// As a restart or a failover of Redis does.
    async fn lose_window(&self) {
        let mut connection = self.redis.connection().await.unwrap();
        redis::cmd("DEL").arg(key(&self.redis, KEY)).query_async::<()>(&mut connection).await.unwrap();
    }

    /// The fields in Redis.
    async fn window(&self) -> HashMap<String, String> {
        let mut connection = self.redis.connection().await.unwrap();
        redis::cmd("HGETALL").arg(key(&self.redis, KEY)).query_async(&mut connection).await.unwrap()
    }

    /// The requests of `count` that the process admits.
    async fn admitted(&self, process: usize, rate: Rate, count: u32) -> u32 {
        let mut admitted = 0;
        for _ in 0..count {
            admitted += u32::from(self.take(process, rate).await.allowed);
        }
        admitted
    }
}

#[tokio::test]
async fn the_first_request_opens_the_window_and_exactly_the_limit_passes() {
    let Some(processes) = Processes::start("limits::shared: exact window", 1).await else { return };
    let rate = Rate::per(3, Duration::from_millis(400));
    let mut seen = Vec::new();
    for _ in 0..5 {
        let decision = processes.take(0, rate).await;
        assert!(decision.reset_after <= rate.window && !decision.reset_after.is_zero(), "{decision:?}");
        seen.push((decision.allowed, decision.remaining));
    }
    assert_eq!(seen, [(true, 2), (true, 1), (true, 0), (false, 0), (false, 0)]);
    let again = async || Some(processes.take(0, rate).await).filter(|decision| decision.allowed);
    assert_eq!(eventually("the window ends", rate.window, again).await.remaining, 2);
}

#[tokio::test]
async fn a_peek_and_a_request_counted_alone_see_the_same_window() {
    let Some(processes) = Processes::start("limits::shared: peek", 2).await else { return };
    let rate = Rate::per(10, MINUTE);
    let [one, two] = [&processes.windows[0], &processes.windows[1]];
    assert_eq!(two.peek(KEY, rate).await.unwrap().remaining, 10);
    assert_eq!(one.take(KEY, rate).await.unwrap().remaining, 9);
    assert_eq!(one.take_one(KEY, rate).await.unwrap().remaining, 8);
    assert_eq!(one.peek(KEY, rate).await.unwrap().remaining, 8);
    let mut allowed = 0;
    while two.take_one(KEY, rate).await.unwrap().allowed {
        allowed += 1;
    }
    assert_eq!(allowed, 8, "unused permits of the other process were returned");
    assert!(!one.take(KEY, rate).await.unwrap().allowed);
}

#[tokio::test]
async fn many_clients_of_many_processes_pass_exactly_the_limit_and_seldom_ask() {
    let Some(processes) = Processes::start("limits::shared: concurrent", 4).await else { return };
    let rate = Rate::per(300, MINUTE);
    let clients = (0..64).map(|client| processes.admitted(client % 4, rate, 20));
    let admitted: u32 = join_all(clients).await.into_iter().sum();
    assert_eq!(admitted, 300);
}

#[tokio::test]
async fn what_one_process_does_not_use_another_gets_at_once() {
    let Some(processes) = Processes::start("limits::shared: recall", 3).await else { return };
    let rate = Rate::per(300, MINUTE);
    assert_eq!(processes.admitted(0, rate, 10).await, 10);
    assert_eq!(processes.admitted(1, rate, 1).await, 1);
    assert_eq!(processes.admitted(2, rate, 400).await, 289);
    assert_eq!(processes.admitted(0, rate, 5).await + processes.admitted(1, rate, 5).await, 0);
}

#[tokio::test]
async fn what_a_slow_process_returns_late_is_for_the_others() {
    let Some(processes) = Processes::start("limits::shared: late", 2).await else { return };
    let rate = Rate::per(100, MINUTE);
    assert_eq!(processes.admitted(0, rate, 1).await, 1);
    let slow = processes.windows[0].asking(KEY).lock().await;
    let kept = processes.windows[0].0.granted.held(KEY).1;
    assert_eq!(processes.admitted(1, rate, 200).await, 100 - kept, "it did not return what it has");
    drop(slow);
    let returned = async {
        while !processes.take(1, rate).await.allowed {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), returned).await.expect("what was returned is granted");
    assert_eq!(processes.admitted(1, rate, 200).await, kept - 2, "of the rest one is used, and one by each");
}

#[tokio::test]
async fn a_process_that_ends_returns_what_it_did_not_use() {
    let Some(processes) = Processes::start("limits::shared: leave", 2).await else { return };
    let rate = Rate::per(100, MINUTE);
    assert_eq!(processes.admitted(0, rate, 1).await, 1);
    processes.shutdowns[0].begin();
    processes.shutdowns[0].wait().await;
    // Earlier requests are still answered, and leave no permits behind.
    assert_eq!(processes.admitted(0, rate, 1).await, 1);
    assert!(processes.windows[0].0.granted.unused().is_empty());
    assert_eq!(processes.admitted(1, rate, 200).await, 98);
}

#[tokio::test]
async fn what_a_killed_process_was_granted_is_lost_and_delays_one_request() {
    let Some(processes) = Processes::start("limits::shared: killed", 1).await else { return };
    let rate = Rate::per(100, MINUTE);
    // It receives no messages.
    let killed = joined(processes.redis.clone(), Clock::system());
    assert!(killed.take(KEY, rate).await.unwrap().allowed);
    let lost = killed.0.granted.take_back(KEY).unwrap().permits;
    assert_eq!(processes.admitted(0, rate, 200).await, 99 - lost);
    let asked = std::time::Instant::now();
    assert_eq!(processes.admitted(0, rate, 1_000).await, 0);
    assert!(asked.elapsed() < RECALL_WAIT * 100, "no further request waits");
}

#[tokio::test]
async fn what_was_granted_to_a_request_that_was_dropped_is_for_the_others() {
    let Some(processes) = Processes::start("limits::shared: dropped request", 1).await else { return };
    let rate = Rate::per(10, MINUTE);
    // The connection is open, and Redis knows the script.
    processes.windows[0].take(Counter::Key(8, "ban_status"), rate).await.unwrap();
    let mut dropped = Box::pin(processes.take(0, rate));
    assert!(futures_util::poll!(&mut dropped).is_pending());
    tokio::task::yield_now().await;
    drop(dropped);
    let next = processes.take(0, rate).await;
    assert_eq!((next.allowed, next.remaining), (true, 9), "a request that was not admitted is not counted");
}

#[tokio::test]
async fn who_has_not_joined_keeps_no_permits_from_the_others() {
    let Some(processes) = Processes::start("limits::shared: not joined", 1).await else { return };
    let rate = Rate::per(10, MINUTE);
    let alone = SharedWindows::new(processes.redis.clone(), Clock::system());
    for _ in 0..3 {
        assert!(alone.take(KEY, rate).await.unwrap().allowed);
    }
    assert_eq!(alone.0.granted.unused(), []);
    assert_eq!(processes.admitted(0, rate, 20).await, 7);
}

/// More than one call asks for, and of each counter all permits.
#[tokio::test]
async fn requests_that_ask_together_are_each_granted_their_own() {
    let Some(processes) = Processes::start("limits::shared: together", 2).await else { return };
    let limits: Vec<u32> = [3, 4, 5, 6, 7].repeat(60);
    let takes = (0..).zip(&limits).flat_map(|(id, limit)| {
        let rate = Rate::per(*limit, MINUTE);
        (0..*limit).flat_map(move |_| [(id, rate, 0), (id, rate, 1)])
    });
    let takes = takes.map(async |(id, rate, process)| {
        let counter = Counter::Key(id, "ban_status");
        let decision = processes.windows[process].take(counter, rate).await.unwrap();
        assert_eq!(decision.limit, rate.limit);
        (id, decision.allowed)
    });
    let taken = join_all(takes).await;
    for (id, limit) in (0..).zip(limits) {
        let admitted = taken.iter().filter(|taken| **taken == (id, true)).count();
        assert_eq!(admitted, limit as usize, "key {id}");
    }
}

#[tokio::test]
async fn permits_are_good_until_the_window_ends_in_redis() {
    let Some(redis) = test_redis("limits::shared: end of a window").await else { return };
    let clock = Clock::manual(chrono::DateTime::from_timestamp(1_000_000, 0).unwrap());
    let (windows, rate) = (SharedWindows::new(redis, clock.clone()), Rate::per(3, MINUTE));
    let mut seen = Vec::new();
    for _ in 0..4 {
        let decision = windows.take(KEY, rate).await.unwrap();
        seen.push((decision.allowed, decision.remaining));
        // Of this process: hardly any time has passed in Redis.
        clock.advance(rate.window);
    }
    assert_eq!(seen, [(true, 2), (true, 1), (true, 0), (false, 0)]);
}

#[tokio::test]
async fn permits_of_an_ended_window_do_not_count_in_the_next() {
    let Some(processes) = Processes::start("limits::shared: next window", 1).await else { return };
    let rate = Rate::per(40, Duration::from_secs(1));
    let clock = Clock::manual(chrono::DateTime::UNIX_EPOCH);
    let windows = joined(processes.redis.clone(), clock.clone());
    let first = windows.take(KEY, rate).await.unwrap();
    assert_eq!((first.remaining, windows.0.granted.unused()), (39, vec![KEY]));
    // By the clock of this process the window has ended, by that of Redis it has not.
    clock.advance(first.reset_after);
    assert!(windows.take(KEY, rate).await.unwrap().remaining < 39, "what was granted before still counts");
    while !processes.window().await.is_empty() {
        tokio::task::yield_now().await;
    }
    clock.advance(rate.window);
    let mut admitted = 0;
    while windows.take(KEY, rate).await.unwrap().allowed {
        admitted += 1;
    }
    assert_eq!(admitted, 40);
}

#[tokio::test]
async fn a_window_that_redis_lost_is_counted_anew_by_those_who_used_it() {
    let Some(processes) = Processes::start("limits::shared: lost window", 3).await else { return };
    let rate = Rate::per(300, MINUTE);
    let used = processes.admitted(0, rate, 90).await + processes.admitted(1, rate, 60).await;
    let ends_at = processes.take(2, rate).await.reset_after;
    processes.lose_window().await;
    let next = processes.windows[1].take_one(KEY, rate).await.unwrap();
    let until = ends_at + Duration::from_millis(100);
    assert!(next.allowed && next.reset_after < until, "{next:?} ends when it would have, in {ends_at:?}");
    // Permits of the others are counted as soon as they are notified of the loss.
    while processes.window().await.keys().filter(|field| field.starts_with('t')).count() < 3 {
        tokio::task::yield_now().await;
    }
    let mut rest = 0;
    for process in [0, 2, 1, 0] {
        rest += processes.admitted(process, rate, 400).await;
    }
    assert_eq!((used, used + 2 + rest), (150, 300));
}

#[tokio::test]
async fn requests_admitted_while_redis_was_away_count_when_it_is_back() {
    let Some(processes) = Processes::start("limits::shared: away", 2).await else { return };
    let (rate, one) = (Rate::per(100, MINUTE), &processes.windows[0]);
    one.0.processes.learn(2);
    let alone = (0..70).filter(|_| one.take_alone(KEY, rate).allowed).count();
    assert_eq!((alone, processes.take(0, rate).await.remaining), (50, 49));
    let both = processes.admitted(1, rate, 200).await + processes.admitted(0, rate, 200).await;
    assert_eq!(both, 49, "51 were used before");
}
