use chrono::DateTime;
use proptest::prelude::*;

use super::*;

const MINUTE: Duration = Duration::from_mins(1);
const KEY: Counter = Counter::Key(1, "ban_status");

fn new_windows() -> (Clock, Windows) {
    let clock = Clock::manual(DateTime::from_timestamp(1_000_000, 0).unwrap());
    (clock.clone(), Windows::new(clock))
}

#[test]
fn the_first_request_opens_the_window_and_exactly_the_limit_passes() {
    let (clock, windows) = new_windows();
    let rate = Rate::per(3, MINUTE);
    let decisions: Vec<_> = (0..5).map(|_| windows.take_or_open(KEY, rate)).collect();
    assert_eq!(
        decisions.iter().map(|d| (d.allowed, d.remaining)).collect::<Vec<_>>(),
        [(true, 2), (true, 1), (true, 0), (false, 0), (false, 0)]
    );
    clock.advance(Duration::from_millis(59_999));
    let last = windows.take_or_open(KEY, rate);
    assert_eq!((last.allowed, last.reset_after), (false, Duration::from_millis(1)));
    clock.advance(Duration::from_millis(1));
    let next = windows.take_or_open(KEY, rate);
    assert_eq!((next.allowed, next.remaining, next.reset_after), (true, 2, MINUTE));
    assert!(windows.take_or_open(Counter::Key(2, "ban_status"), rate).allowed, "keys share no window");
    assert!(windows.take_or_open(Counter::Key(1, "mute_status"), rate).allowed, "nor do limits");
}

#[test]
fn what_was_used_of_a_window_counts_when_its_limit_changes() {
    let (_, windows) = new_windows();
    for _ in 0..3 {
        windows.take_or_open(KEY, Rate::per(3, MINUTE));
    }
    assert_eq!(windows.take_or_open(KEY, Rate::per(30, MINUTE)).remaining, 26);
    assert!(!windows.take_or_open(KEY, Rate::per(3, MINUTE)).allowed);
}

#[test]
fn a_clock_set_back_does_not_stretch_a_window() {
    let (clock, windows) = new_windows();
    let rate = Rate::per(1, MINUTE);
    windows.take_or_open(KEY, rate);
    clock.set(DateTime::from_timestamp(990_000, 0).unwrap());
    assert_eq!(windows.take_or_open(KEY, rate).reset_after, MINUTE);
}

#[test]
fn permits_that_were_granted_end_with_their_window_and_are_given_back_once() {
    let (clock, windows) = new_windows();
    let rate = Rate::per(10, MINUTE);
    let granted = |id| Window { left: 6, exhausted: false, id, ..Window::new(rate, 2, MINUTE) };
    assert_eq!(windows.take(KEY, rate), None, "nothing was granted");
    windows.add(KEY, granted(7), false);
    let remaining = || windows.take(KEY, rate).map(|decision| decision.remaining);
    assert_eq!([remaining(), remaining(), remaining()], [Some(7), Some(6), None]);
    windows.add(KEY, granted(7), true);
    windows.add(KEY, granted(7), true);
    assert_eq!(windows.take_back(KEY), Some(Returned { id: 7, permits: 4, total: 6 }));
    let nothing = Returned { id: 7, permits: 0, total: 2 };
    assert_eq!((windows.take_back(KEY), windows.take(KEY, rate)), (Some(nothing), None));
    assert!(!windows.close(KEY, rate).unwrap().allowed);
    assert!(!windows.take(KEY, rate).unwrap().allowed, "closed until its end");
    windows.add(KEY, granted(8), false);
    windows.add(KEY, granted(9), false);
    let last = Returned { id: 9, permits: 2, total: 2 };
    assert_eq!(windows.take_back(KEY), Some(last), "permits of another window do not count");
    windows.add(KEY, granted(9), true);
    clock.advance(MINUTE);
    assert_eq!((windows.take(KEY, rate), windows.take_back(KEY)), (None, None));
    windows.add(KEY, Window { permits: 0, total: 0, ends_at: 2 * MINUTE, ..granted(9) }, true);
    assert!(windows.take(KEY, rate).unwrap().allowed, "it had not ended in Redis");
}

#[test]
fn a_process_that_counts_alone_stays_within_its_share_and_reports_it() {
    let (clock, windows) = new_windows();
    let rate = Rate::per(100, MINUTE);
    let alone = || windows.take_alone(KEY, rate, 5).allowed;
    windows.add(KEY, Window { exhausted: false, id: 7, ..Window::new(rate, 3, MINUTE) }, false);
    assert_eq!([alone(), alone(), alone(), alone(), alone(), alone()], [true, true, true, true, true, false]);
    assert_eq!(windows.held(KEY), (7, 5), "two more than Redis knows");
    clock.advance(MINUTE);
    assert!(alone(), "in the next window");
    assert_eq!(windows.held(KEY), (0, 1));
    windows.add(KEY, Window { exhausted: false, id: 8, ..Window::new(rate, 2, 2 * MINUTE) }, true);
    assert_eq!(windows.held(KEY), (8, 3));
    clock.advance(MINUTE);
    assert_eq!(windows.held(KEY), (8, 3), "Redis knows whether it has ended");
}

#[test]
fn memory_follows_the_keys_in_use() {
    let (clock, windows) = new_windows();
    for n in 0..200_000 {
        windows.take_or_open(Counter::Key(n, "ban_status"), Rate::per(1, Duration::from_secs(1)));
        clock.advance(Duration::from_millis(10));
    }
    // 100 keys are open at any moment; a shard holds at most SWEEP_FROM before it is swept.
    let held: usize = windows.shards.iter().map(|shard| shard.lock().unwrap().windows.len()).sum();
    assert!(held <= SHARDS * SWEEP_FROM, "{held} windows for 100 open ones");
}

proptest! {
    #[test]
    fn no_window_ever_passes_more_than_its_limit(
        limit in 0_u32..6,
        pauses in proptest::collection::vec(0_u64..900, 1..200),
    ) {
        let (clock, windows) = new_windows();
        let rate = Rate::per(limit, Duration::from_secs(1));
        let (mut ends, mut passed) = (Duration::ZERO, 0);
        for pause in pauses {
            clock.advance(Duration::from_millis(pause));
            let now = clock.steady();
            if now >= ends {
                (ends, passed) = (now + rate.window, 0);
            }
            let decision = windows.take_or_open(KEY, rate);
            prop_assert_eq!(decision.allowed, passed < limit);
            passed += u32::from(decision.allowed);
            prop_assert_eq!(decision.remaining, limit - passed);
        }
    }
}
