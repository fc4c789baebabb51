//! The pacing's guarantees, with time as an argument.

use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use runtime::PlatformRate;

use super::rate::Rules;
use super::state::{Ask, PaceState, Verdict};
use crate::context::Priority::{self, Bulk, Interactive};
use crate::pacing::answered::{Answered, Bucket, Pause};
use crate::pacing::numbers::{INVALID_LIMIT, Micros, REQUEST, SECOND, WAITING};

fn ask(priority: Priority) -> Ask {
    Ask { route: "GET /x", major: 7, priority }
}

fn heard() -> Answered {
    Answered { heard: true, ..Answered::default() }
}

fn bucket(remaining: u32, reset_after: Micros) -> Answered {
    Answered { bucket: Some(Bucket { id: "b".into(), limit: 5, remaining, reset_after }), ..heard() }
}

fn paused(global: bool, wait: Micros) -> Answered {
    Answered { pause: Some(Pause { global, wait }), invalid: true, ..heard() }
}

/// A state whose only route has no bucket. Starts at one second, with one permit taken and released.
fn known(rate: &str) -> PaceState {
    let mut state = PaceState::new(Rules::chat(rate.parse().unwrap()));
    let permit = granted(&mut state, 0, Interactive);
    state.finish(0, permit, &ask(Interactive), &heard());
    state
}

/// Requests a new permit.
fn asked(state: &mut PaceState, now: Micros, ask: &Ask) -> Result<u64, Verdict> {
    static LAST: AtomicU64 = AtomicU64::new(1_000);
    let permit = LAST.fetch_add(1, Ordering::Relaxed);
    match state.acquire(now, permit, ask) {
        Verdict::Granted => Ok(permit),
        other => Err(other),
    }
}

fn granted(state: &mut PaceState, now: Micros, priority: Priority) -> u64 {
    asked(state, now, &ask(priority)).unwrap()
}

fn grants(state: &mut PaceState, now: Micros, priority: Priority) -> Vec<u64> {
    std::iter::from_fn(|| asked(state, now, &ask(priority)).ok()).take(1000).collect()
}

fn bulk_of(guild: i64) -> Ask {
    Ask { major: guild, ..ask(Bulk) }
}

/// Long after the last interactive call.
const LULL: Micros = 10 * SECOND;
const INTERVAL: Micros = SECOND / 50;

/// Bulk permits taken from `from` on at an even pace, until bulk gets no more.
fn take_evenly(state: &mut PaceState, from: Micros) -> usize {
    (0..100).map(|n| grants(state, from + n * INTERVAL, Bulk).len()).take_while(|taken| *taken > 0).sum()
}

#[test]
fn bulk_goes_evenly_but_for_a_small_burst() {
    let mut state = known("50");
    assert_eq!(grants(&mut state, LULL, Bulk).len(), 5);
    assert_eq!(asked(&mut state, LULL, &ask(Bulk)), Err(Verdict::Full(INTERVAL)));
    assert_eq!(grants(&mut state, LULL + INTERVAL - 1, Bulk).len(), 0);
    assert_eq!(grants(&mut state, LULL + INTERVAL, Bulk).len(), 1);
}

#[test]
fn bulk_has_every_permit_unless_interactive_calls_are_about() {
    let mut state = known("50");
    assert_eq!(take_evenly(&mut state, LULL), 50);
    let mut state = known("50");
    granted(&mut state, LULL, Interactive);
    assert_eq!(take_evenly(&mut state, LULL), 50 - 1 - 2);
    assert_eq!(grants(&mut state, LULL + SECOND, Interactive).len(), 2);
}

#[test]
fn an_interactive_call_that_waits_gets_the_next_permit() {
    let mut state = known("50");
    let first = granted(&mut state, LULL, Bulk);
    take_evenly(&mut state, LULL);
    assert!(matches!(asked(&mut state, LULL + SECOND, &ask(Interactive)), Err(Verdict::Full(_))));
    state.finish(LULL, first, &ask(Bulk), &heard());
    let Err(Verdict::Full(wait)) = asked(&mut state, LULL + SECOND, &ask(Bulk)) else {
        panic!("bulk overtakes")
    };
    assert!(wait <= 2 * INTERVAL, "{wait}");
    granted(&mut state, LULL + SECOND + INTERVAL, Interactive);
}

#[test]
fn a_caller_who_went_away_holds_bulk_up_for_a_moment_only() {
    let mut state = known("50");
    let all = grants(&mut state, LULL, Interactive);
    assert!(matches!(asked(&mut state, LULL, &ask(Interactive)), Err(Verdict::Full(INTERVAL))));
    for permit in all {
        state.finish(LULL, permit, &ask(Interactive), &heard());
    }
    assert!(matches!(asked(&mut state, LULL + 2 * INTERVAL - 1, &ask(Bulk)), Err(Verdict::Full(1))));
    granted(&mut state, LULL + SECOND, Bulk);
}

#[test]
fn guilds_take_turns_however_much_one_had_before() {
    let mut state = known("50");
    let first = asked(&mut state, 0, &bulk_of(8)).unwrap();
    state.finish(0, first, &bulk_of(8), &heard());
    assert_eq!(grants(&mut state, LULL, Bulk).len(), 5);
    assert!(asked(&mut state, LULL, &bulk_of(8)).is_err());
    let winners = (1..=8).map(|n| {
        let next = LULL + n * INTERVAL;
        let got = [7, 8].map(|guild| asked(&mut state, next, &bulk_of(guild)).is_ok());
        assert_ne!(got[0], got[1], "one of them at a time: {n}");
        if got[0] { 7 } else { 8 }
    });
    assert_eq!(winners.collect::<Vec<_>>(), [8, 7, 8, 7, 8, 7, 8, 7]);
}

#[test]
fn asked_for_twice_a_permit_is_granted_once() {
    let mut state = known("1");
    assert_eq!(state.acquire(SECOND, 5, &ask(Bulk)), Verdict::Granted);
    assert_eq!(state.acquire(2 * SECOND, 5, &ask(Bulk)), Verdict::Granted);
    state.finish(2 * SECOND, 5, &ask(Bulk), &heard());
    assert!(asked(&mut state, 3 * SECOND - 1, &ask(Bulk)).is_err());
    assert!(asked(&mut state, 3 * SECOND, &ask(Bulk)).is_ok());
}

#[test]
fn a_permit_that_was_not_used_is_free_at_once_and_one_not_granted_yet_never_is() {
    let mut state = known("1");
    let permit = granted(&mut state, SECOND, Bulk);
    state.release(SECOND, permit, &ask(Bulk));
    granted(&mut state, SECOND, Interactive);
    let mut state = known("50");
    state.release(SECOND, 5, &ask(Bulk));
    assert!(matches!(state.acquire(2 * SECOND, 5, &ask(Bulk)), Verdict::Full(_)));
    assert_eq!(state.acquire(2 * SECOND, 6, &ask(Bulk)), Verdict::Granted);
}

#[test]
fn a_call_given_back_is_not_spent_in_its_bucket() {
    let mut state = PaceState::new(Rules::chat("50".parse().unwrap()));
    let first = granted(&mut state, 0, Bulk);
    state.finish(2, first, &ask(Bulk), &bucket(4, SECOND));
    let permits = grants(&mut state, 3, Bulk);
    assert_eq!(permits.len(), 4);
    state.release(4, permits[0], &ask(Bulk));
    assert_eq!(grants(&mut state, 5, Interactive).len(), 1);
}

#[test]
fn calls_under_way_at_a_reset_are_counted_in_the_new_window() {
    let mut state = PaceState::new(Rules::chat("50".parse().unwrap()));
    let first = granted(&mut state, 0, Bulk);
    state.finish(0, first, &ask(Bulk), &bucket(4, SECOND));
    let late = SECOND + SECOND / 50 - 1;
    assert_eq!(grants(&mut state, late, Interactive).len(), 4);
    assert_eq!(grants(&mut state, late + 1, Interactive).len(), 1, "four of the five may still arrive");
}

#[test]
fn the_reset_of_a_sliding_window_moves_on_whatever_the_order_of_answers() {
    let mut state = PaceState::new(Rules::chat("50".parse().unwrap()));
    let first = granted(&mut state, 0, Bulk);
    state.finish(0, first, &ask(Bulk), &bucket(4, SECOND));
    let permits = grants(&mut state, 0, Interactive);
    state.finish(1000, permits[3], &ask(Bulk), &bucket(0, 5 * SECOND));
    state.finish(1000, permits[0], &ask(Bulk), &bucket(3, 2 * SECOND));
    assert!(matches!(asked(&mut state, 3 * SECOND, &ask(Interactive)), Err(Verdict::Paused(_))));
}

#[test]
fn bulk_that_waits_has_one_of_four_permits_beside_endless_interactive_calls() {
    let mut state = known("4");
    let mut permits = grants(&mut state, LULL, Interactive);
    let (mut bulk, mut now) = (0, LULL);
    for _ in 0..40 {
        state.finish(now, permits.remove(0), &ask(Interactive), &heard());
        now += SECOND;
        // One permit is free.
        let granted = asked(&mut state, now, &ask(Bulk)).inspect(|_| bulk += 1);
        let other = asked(&mut state, now, &ask(Interactive));
        assert_ne!(granted.is_ok(), other.is_ok());
        permits.push(granted.or(other).unwrap());
    }
    assert_eq!(bulk, 10);
}

#[test]
fn a_permit_is_left_to_another_guild_for_an_interval_only() {
    let mut state = known("50");
    grants(&mut state, LULL, Bulk);
    assert!(matches!(asked(&mut state, LULL, &bulk_of(8)), Err(Verdict::Full(_))));
    let free = LULL + INTERVAL;
    assert_eq!(asked(&mut state, free, &ask(Bulk)), Err(Verdict::Full(INTERVAL)));
    assert_eq!(asked(&mut state, free + INTERVAL - 1, &ask(Bulk)), Err(Verdict::Full(1)));
    granted(&mut state, free + INTERVAL, Bulk);
    assert_eq!(
        asked(&mut state, free + INTERVAL, &ask(Bulk)),
        Err(Verdict::Full(INTERVAL)),
        "the next one is left again"
    );
}

#[test]
fn a_guild_that_does_not_ask_any_more_is_not_waited_for() {
    let mut state = known("50");
    assert!(asked(&mut state, LULL - 2 * WAITING, &bulk_of(8)).is_ok());
    grants(&mut state, LULL - 2 * WAITING, Bulk);
    assert!(asked(&mut state, LULL - 2 * WAITING, &bulk_of(8)).is_err());
    assert_eq!(grants(&mut state, LULL, Bulk).len(), 5);
}

#[test]
fn interactive_may_take_everything() {
    let mut state = known("50");
    assert_eq!(grants(&mut state, SECOND, Interactive).len(), 50);
    assert!(matches!(asked(&mut state, SECOND, &ask(Bulk)), Err(Verdict::Full(_))));
}

#[test]
fn a_permit_comes_back_one_window_after_its_answer() {
    let mut state = known("1");
    let permit = granted(&mut state, SECOND, Interactive);
    state.finish(3 * SECOND, permit, &ask(Interactive), &heard());
    assert!(matches!(asked(&mut state, 4 * SECOND - 1, &ask(Interactive)), Err(Verdict::Full(1))));
    granted(&mut state, 4 * SECOND, Interactive);
}

#[test]
fn a_lost_permit_comes_back_at_its_deadline() {
    let mut state = known("1");
    granted(&mut state, SECOND, Interactive);
    let deadline = SECOND + REQUEST;
    assert!(matches!(asked(&mut state, deadline - 1, &ask(Interactive)), Err(Verdict::Full(_))));
    granted(&mut state, deadline, Interactive);
}

#[test]
fn off_gives_permits_without_end() {
    let mut state = PaceState::new(Rules::chat(PlatformRate::Off));
    let first = granted(&mut state, 0, Bulk);
    state.finish(0, first, &ask(Bulk), &heard());
    assert_eq!(grants(&mut state, 0, Bulk).len(), 1000);
}

#[test]
fn the_first_call_of_a_route_goes_alone() {
    let mut state = PaceState::new(Rules::chat("50".parse().unwrap()));
    let first = granted(&mut state, 0, Bulk);
    assert_eq!(asked(&mut state, 1, &ask(Bulk)), Err(Verdict::Probing));
    state.finish(2, first, &ask(Bulk), &bucket(4, SECOND));
    assert_eq!(grants(&mut state, 3, Bulk).len(), 4);
    assert!(
        matches!(asked(&mut state, 4, &ask(Bulk)), Err(Verdict::Paused(wait)) if wait == SECOND + SECOND / 50 - 2)
    );
}

#[test]
fn a_probe_without_an_answer_is_followed_by_another() {
    let mut state = PaceState::new(Rules::chat("50".parse().unwrap()));
    let first = granted(&mut state, 0, Bulk);
    state.finish(1, first, &ask(Bulk), &Answered::default());
    granted(&mut state, 2, Bulk);
    assert_eq!(asked(&mut state, 3, &ask(Bulk)), Err(Verdict::Probing));
}

#[test]
fn late_answers_do_not_refill_a_bucket() {
    let mut state = PaceState::new(Rules::chat("50".parse().unwrap()));
    let first = granted(&mut state, 0, Bulk);
    state.finish(0, first, &ask(Bulk), &bucket(4, SECOND));
    let permits = grants(&mut state, 1000, Bulk);
    assert_eq!(permits.len(), 4);
    // The first answer says 3 remaining, but three more calls are in flight.
    state.finish(2000, permits[0], &ask(Bulk), &bucket(3, SECOND - 2000));
    assert!(matches!(asked(&mut state, 3000, &ask(Bulk)), Err(Verdict::Paused(_))));
    // After the reset the limit applies again, before any answer; the three may still arrive.
    assert_eq!(grants(&mut state, SECOND + SECOND / 50 + 1, Bulk).len(), 2);
}

#[test]
fn a_pause_holds_its_bucket_and_a_global_one_everything() {
    let other = Ask { major: 8, ..ask(Interactive) };
    let mut state = known("50");
    let permit = granted(&mut state, SECOND, Interactive);
    state.finish(SECOND, permit, &ask(Interactive), &paused(false, 2 * SECOND));
    assert_eq!(asked(&mut state, SECOND, &ask(Interactive)), Err(Verdict::Paused(2 * SECOND)));
    let Ok(permit) = asked(&mut state, SECOND, &other) else { panic!("the other guild is not paused") };
    state.finish(SECOND, permit, &other, &paused(true, 5 * SECOND));
    assert_eq!(asked(&mut state, 2 * SECOND, &other), Err(Verdict::Paused(4 * SECOND)));
    granted(&mut state, 6 * SECOND, Interactive);
}

#[test]
fn too_many_invalid_answers_pause_only_bulk() {
    let mut state = known("off");
    let refused = Answered { invalid: true, ..heard() };
    for _ in 0..INVALID_LIMIT {
        let permit = granted(&mut state, SECOND, Bulk);
        state.finish(SECOND, permit, &ask(Bulk), &refused);
    }
    assert!(matches!(asked(&mut state, 2 * SECOND, &ask(Bulk)), Err(Verdict::Silenced(_))));
    granted(&mut state, 2 * SECOND, Interactive);
    assert!(matches!(asked(&mut state, 600 * SECOND, &ask(Bulk)), Err(Verdict::Silenced(_))));
    granted(&mut state, 661 * SECOND, Bulk);
}

proptest! {
    /// At any latency: requests reach the platform between grant and answer, and no sliding second there holds
    /// more than the limit.
    #[test]
    fn no_sliding_second_holds_more_than_the_limit(calls in prop::collection::vec((0u64..40_000, 0u64..400_000, 0u64..100, any::<bool>()), 1..600)) {
        let mut state = known("50");
        let mut now = SECOND;
        let mut under_way: Vec<(Micros, u64)> = Vec::new();
        let mut arrivals: Vec<Micros> = Vec::new();
        for (gap, latency, share, bulk) in calls {
            now += gap;
            under_way.sort_unstable();
            while let Some((answered, permit)) = under_way.first().copied().filter(|(answered, _)| *answered <= now) {
                state.finish(answered, permit, &ask(Bulk), &heard());
                under_way.remove(0);
            }
            let priority = if bulk { Bulk } else { Interactive };
            if let Ok(permit) = asked(&mut state, now, &ask(priority)) {
                arrivals.push(now + latency * share / 100);
                under_way.push((now + latency, permit));
            }
        }
        arrivals.sort_unstable();
        for (index, first) in arrivals.iter().enumerate() {
            let within = arrivals[index..].iter().take_while(|arrival| **arrival < first + SECOND).count();
            prop_assert!(within <= 50, "{within} requests in the second from {first}");
        }
    }
}
