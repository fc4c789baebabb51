use super::*;
use crate::limits::Limits;
use crate::redis::tests::test_redis;

const MINUTE: Duration = Duration::from_mins(1);
const COUNTER: Counter = Counter::Key(1, "ban_status");
const RATE: Rate = Rate::per(300, MINUTE);

fn manual() -> Clock {
    Clock::manual("2026-11-26T12:00:00Z".parse().unwrap())
}

/// How many of `calls` of each server are admitted, one server after the other.
async fn in_turn(limits: &Limits, servers: std::ops::Range<u64>, calls: u32) -> Vec<u32> {
    let mut admitted = Vec::new();
    for server in servers {
        let mut count = 0;
        for _ in 0..calls {
            count += u32::from(limits.take_share(COUNTER, RATE, Sharer(server)).await.allowed);
        }
        admitted.push(count);
    }
    admitted
}

#[tokio::test]
async fn fifty_servers_that_want_more_get_a_fiftieth_each() {
    let clock = manual();
    let limits = Limits::in_process(clock.clone());
    in_turn(&limits, 1..51, 1).await;
    clock.advance(MINUTE);
    // The first would take all.
    assert_eq!(in_turn(&limits, 1..51, 100).await, [6; 50]);
}

#[tokio::test]
async fn a_server_alone_has_all_and_what_others_leave_is_used() {
    let clock = manual();
    let limits = Limits::in_process(clock.clone());
    assert_eq!(in_turn(&limits, 1..2, 299).await, [299]);
    assert_eq!(in_turn(&limits, 2..3, 1).await, [1]);
    clock.advance(MINUTE);
    assert_eq!(in_turn(&limits, 2..3, 10).await, [10]);
    assert_eq!(in_turn(&limits, 1..2, 400).await, [150], "140 are kept for the other one");
    clock.advance(MINUTE / 2);
    assert_eq!(in_turn(&limits, 1..2, 400).await, [65], "of its 150 it would use 75 until the end");
    clock.advance(Duration::from_millis(29_999));
    assert_eq!(in_turn(&limits, 1..2, 400).await, [74], "one call is kept for it always");
    assert_eq!(in_turn(&limits, 2..3, 400).await, [1]);
}

#[tokio::test]
async fn a_server_that_stopped_calling_holds_nothing_back_after_a_window() {
    let clock = manual();
    let limits = Limits::in_process(clock.clone());
    in_turn(&limits, 1..51, 1).await;
    clock.advance(MINUTE);
    in_turn(&limits, 1..2, 1).await;
    clock.advance(2 * MINUTE);
    assert_eq!(in_turn(&limits, 1..2, 400).await, [300]);
}

#[tokio::test]
async fn a_server_shares_as_long_as_it_said() {
    let clock = manual();
    let limits = Limits::in_process(clock.clone());
    in_turn(&limits, 1..4, 1).await;
    let [six, four] = [6, 4].map(Duration::from_secs);
    (1..4).for_each(|server| limits.expect(COUNTER, Sharer(server), six, four));
    assert_eq!(limits.sharers(COUNTER), 3);
    limits.expect(COUNTER, Sharer(2), Duration::ZERO, Duration::ZERO);
    clock.advance(Duration::from_secs(5));
    assert_eq!(limits.sharers(COUNTER), 2);
    clock.advance(Duration::from_secs(6));
    assert_eq!(limits.sharers(COUNTER), 1);
}

#[test]
fn a_counter_with_too_many_callers_still_knows_the_first_ones() {
    let sharers = Sharers::new(manual());
    let window = Decision { allowed: true, limit: 300, remaining: 200, reset_after: MINUTE };
    let first = Sharer(1);
    (1..=CALLERS_MAX as u64 + 1).for_each(|caller| sharers.used(COUNTER, Sharer(caller), RATE, window));
    sharers.used(COUNTER, first, RATE, window);
    let groups = sharers.lock();
    let callers = &groups[&COUNTER].callers;
    assert_eq!((callers[&first].used, callers.contains_key(&Sharer(0))), (2, true));
}

#[tokio::test]
async fn processes_know_of_each_others_servers() {
    let Some(redis) = test_redis("limits::sharers").await else { return };
    let (clock, script) = (manual(), Script::new(SHARE));
    let [one, two] = [(); 2].map(|()| Sharers::new(clock.clone()));
    let window = Decision { allowed: true, limit: 300, remaining: 200, reset_after: MINUTE };
    (0..25).for_each(|server| one.used(COUNTER, Sharer(server), RATE, window));
    // Five of them are known to both.
    (20..50).for_each(|server| two.used(COUNTER, Sharer(server), RATE, window));
    for sharers in [&one, &two, &one] {
        sharers.sync_once(&redis, &script).await;
    }
    assert_eq!((one.count(COUNTER), two.count(COUNTER)), (50, 50));
    // 25 calls here, and 75 elsewhere of which 50 - 25 servers have a share of six: 150.
    (0..6).for_each(|_| one.used(COUNTER, Sharer(3), RATE, window));
    let admits = |remaining| one.admits(COUNTER, Sharer(3), RATE, Decision { remaining, ..window });
    assert!(admits(300), "nobody has used anything");
    assert!(!admits(120), "the rest belongs to the others");
    two.expect(COUNTER, Sharer(49), Duration::ZERO, Duration::ZERO);
    two.sync_once(&redis, &script).await;
    assert_eq!(two.count(COUNTER), 49);
}
