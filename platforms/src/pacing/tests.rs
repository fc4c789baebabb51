//! The pacing's guarantees, with time as an argument.

mod buckets;
mod permits;

use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use runtime::PlatformRate;

use super::rate::Rules;
use super::state::{Ask, PaceState, Verdict};
use crate::context::Priority::{self, Bulk, Interactive};
use crate::pacing::answered::Answered;
use crate::pacing::numbers::{LONGEST_REQUEST, LONGEST_TURN, Micros, SECOND, WAITING_GRACE};

fn ask(priority: Priority) -> Ask {
    Ask { route: "GET /x", major: 7, priority }
}

fn heard() -> Answered {
    Answered { heard: true, ..Answered::default() }
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
fn a_waiting_guild_asks_again_after_half_the_time_of_its_turn_or_half_a_second() {
    let mut state = known("50");
    let guilds = 1_000..1_100;
    let waits: Vec<_> = guilds.filter_map(|guild| asked(&mut state, LULL, &bulk_of(guild)).err()).collect();
    let before = |n: u64| Verdict::Full((n.saturating_sub(1) * INTERVAL / 2).clamp(INTERVAL, LONGEST_TURN));
    assert_eq!(waits, (0..95).map(before).collect::<Vec<_>>());
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
    assert!(asked(&mut state, LULL - 2 * WAITING_GRACE, &bulk_of(8)).is_ok());
    grants(&mut state, LULL - 2 * WAITING_GRACE, Bulk);
    assert!(asked(&mut state, LULL - 2 * WAITING_GRACE, &bulk_of(8)).is_err());
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
    let deadline = SECOND + LONGEST_REQUEST;
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
