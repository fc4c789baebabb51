//! What the state learns from answers: buckets, pauses, invalid answers.

use super::*;
use crate::context::Priority::Stranger;
use crate::pacing::answered::{Bucket, Pause};
use crate::pacing::numbers::{BULK_INVALID_LIMIT, INVALID_LIMIT, STRANGER_INVALID_LIMIT};

fn fresh() -> PaceState {
    PaceState::new(Rules::chat("50".parse().unwrap()))
}

fn bucket(remaining: u32, reset_after: Micros) -> Answered {
    Answered { bucket: Some(Bucket { id: "b".into(), limit: 5, remaining, reset_after }), ..heard() }
}

fn paused(global: bool, wait: Micros) -> Answered {
    Answered { pause: Some(Pause { global, wait }), invalid: true, ..heard() }
}

/// A state whose only route has a bucket of five, with four left.
fn learned() -> PaceState {
    let mut state = fresh();
    let first = granted(&mut state, 0, Bulk);
    state.finish(0, first, &ask(Bulk), &bucket(4, SECOND));
    state
}

#[test]
fn a_call_given_back_is_not_spent_in_its_bucket() {
    let mut state = fresh();
    let first = granted(&mut state, 0, Bulk);
    state.finish(2, first, &ask(Bulk), &bucket(4, SECOND));
    let permits = grants(&mut state, 3, Bulk);
    assert_eq!(permits.len(), 4);
    state.release(4, permits[0], &ask(Bulk));
    assert_eq!(grants(&mut state, 5, Interactive).len(), 1);
}

#[test]
fn calls_under_way_at_a_reset_are_counted_in_the_new_window() {
    let mut state = learned();
    let late = SECOND + SECOND / 50 - 1;
    assert_eq!(grants(&mut state, late, Interactive).len(), 4);
    assert_eq!(grants(&mut state, late + 1, Interactive).len(), 1, "four of the five may still arrive");
}

#[test]
fn a_window_has_its_calls_once_from_its_reset_on() {
    let mut state = learned();
    let reset = SECOND + SECOND / 50;
    let permits = grants(&mut state, reset, Interactive);
    assert_eq!(permits.len(), 5);
    state.finish(reset, permits[0], &ask(Interactive), &heard());
    assert!(matches!(asked(&mut state, reset, &ask(Interactive)), Err(Verdict::Paused(_))));
}

#[test]
fn the_reset_of_a_sliding_window_moves_on_whatever_the_order_of_answers() {
    let mut state = learned();
    let permits = grants(&mut state, 0, Interactive);
    state.finish(1000, permits[3], &ask(Bulk), &bucket(0, 5 * SECOND));
    state.finish(1000, permits[0], &ask(Bulk), &bucket(3, 2 * SECOND));
    assert!(matches!(asked(&mut state, 3 * SECOND, &ask(Interactive)), Err(Verdict::Paused(_))));
}

#[test]
fn the_first_call_of_a_route_goes_alone() {
    let mut state = fresh();
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
    let mut state = fresh();
    let first = granted(&mut state, 0, Bulk);
    state.finish(1, first, &ask(Bulk), &Answered::default());
    granted(&mut state, 2, Bulk);
    assert_eq!(asked(&mut state, 3, &ask(Bulk)), Err(Verdict::Probing));
}

#[test]
fn late_answers_do_not_refill_a_bucket() {
    let mut state = learned();
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
fn too_many_invalid_answers_pause_strangers_then_bulk_then_all() {
    let mut state = known("off");
    let refused = Answered { invalid: true, ..heard() };
    let refuse = |state: &mut PaceState, times: u32| {
        for _ in 0..times {
            let permit = granted(state, SECOND, Interactive);
            state.finish(SECOND, permit, &ask(Interactive), &refused);
        }
    };
    let silenced = |state: &mut PaceState, at, priority| {
        matches!(asked(state, at, &ask(priority)), Err(Verdict::Silenced(_)))
    };
    refuse(&mut state, STRANGER_INVALID_LIMIT - 1);
    assert!(!silenced(&mut state, 2 * SECOND, Stranger));
    refuse(&mut state, 1);
    assert!(silenced(&mut state, 2 * SECOND, Stranger) && !silenced(&mut state, 2 * SECOND, Bulk));
    refuse(&mut state, BULK_INVALID_LIMIT - STRANGER_INVALID_LIMIT);
    assert!(silenced(&mut state, 2 * SECOND, Bulk) && !silenced(&mut state, 2 * SECOND, Interactive));
    refuse(&mut state, INVALID_LIMIT - BULK_INVALID_LIMIT);
    let all = [Stranger, Bulk, Interactive];
    assert!(all.iter().all(|priority| silenced(&mut state, 600 * SECOND, *priority)));
    for priority in all {
        granted(&mut state, 661 * SECOND, priority);
    }
}

#[test]
fn the_budget_names_the_longest_pauses_with_what_is_left_of_them() {
    let mut state = fresh();
    for (guild, wait) in [(1, 3), (2, 9), (3, 6)] {
        let ask = bulk_of(guild);
        let permit = asked(&mut state, 0, &ask).unwrap();
        state.finish(0, permit, &ask, &paused(false, wait * SECOND));
    }
    // Its bucket is used up, that of guild 5 is not.
    for (guild, remaining) in [(4, 0), (5, 1)] {
        let ask = bulk_of(guild);
        let permit = asked(&mut state, 0, &ask).unwrap();
        let limited = Bucket { id: "b".into(), limit: 5, remaining, reset_after: 60 * SECOND };
        state.finish(0, permit, &ask, &Answered { bucket: Some(limited), ..heard() });
    }
    let pauses = state.budget(SECOND).paused_routes;
    let seconds: Vec<_> = pauses.iter().map(|(_, left)| left.as_secs()).collect();
    // A bucket reopens a little late, because clocks differ.
    assert_eq!(seconds, [59, 8, 5, 2], "{pauses:?}");
}

#[test]
fn idle_buckets_are_forgotten_once_there_are_many() {
    let mut state = fresh();
    for guild in 0..10_000 {
        // Each an hour after the one before.
        let (ask, now) = (bulk_of(guild), guild.unsigned_abs() * 3_600 * SECOND);
        let permit = asked(&mut state, now, &ask).unwrap();
        state.finish(now, permit, &ask, &heard());
    }
    assert!(state.buckets() < 5_000, "{}", state.buckets());
}
