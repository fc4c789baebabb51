//! The scripts return the same verdicts as the state machine, for whole loads of callers and every kind of response.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use testkit::{Namespace, Servers};

use super::*;
use crate::pacing::answered::{Bucket, Pause};
use crate::pacing::load_model::{Plan, Step, walk};
use crate::pacing::numbers::SECOND;
use crate::pacing::state::PaceState;

async fn pace_in(namespace: &Namespace) -> SharedPace {
    SharedPace::new(namespace.redis().await, "chat")
}

/// Sends the same requests to the scripts.
async fn follow(pace: &mut SharedPace, rules: Rules, steps: &[Step]) {
    for (number, step) in steps.iter().enumerate() {
        match step {
            Step::Acquire(now, permit, ask, expected) => {
                pace.now = Some(*now);
                let verdict = pace.acquire(rules, *permit, ask).await.unwrap();
                assert_eq!(verdict, *expected, "step {number}: {step:?}");
            }
            Step::Finish(now, permit, ask, answered) => {
                pace.now = Some(*now);
                pace.end(rules, &end(*permit, ask, Some(answered))).await.unwrap();
            }
            Step::Release(now, permit, ask) => {
                pace.now = Some(*now);
                pace.end(rules, &end(*permit, ask, None)).await.unwrap();
            }
        }
    }
}

fn end(id: u64, ask: &Ask, answered: Option<&Answered>) -> End {
    End { id, ask: ask.clone(), answered: answered.cloned(), void: false }
}

#[tokio::test]
async fn scripts_return_the_same_verdicts_for_a_load() {
    let namespace = Namespace::new(Servers::from_env());
    let mut pace = pace_in(&namespace).await;
    let rules = Rules::chat("50".parse().unwrap());
    for seed in 0..4 {
        let plan = Plan {
            seed,
            length: 4 * SECOND,
            latency: (seed * 20_000, 150_000),
            bulk_from: vec![0, 0, SECOND],
            late: 1_500,
            interactive_each: [None, Some(SECOND), Some(SECOND / 10), Some(SECOND / 60)]
                [usize::try_from(seed).unwrap()],
        };
        let seen = walk(rules, plan);
        assert!(seen.steps.len() > 300);
        pace.base = format!("{}:{seed}", pace.base);
        *pace.known() = Known::default();
        follow(&mut pace, rules, &seen.steps).await;
    }
}

/// Calls with every kind of response, on the state machine: some requests and some ends are repeated, some permits
/// are released, and some are never finished.
fn steps(rules: Rules, calls: Vec<(Micros, Ask, Answered)>) -> Vec<Step> {
    let (mut state, mut now, mut steps) = (PaceState::new(rules), 1_000 * SECOND, Vec::new());
    for (permit, (gap, ask, answered)) in (1..).zip(calls) {
        now += gap;
        if gap % 11 == 0 {
            state.release(now, permit, &ask);
            steps.push(Step::Release(now, permit, ask.clone()));
        }
        for _ in 0..=gap % 2 {
            let verdict = state.acquire(now, permit, &ask);
            steps.push(Step::Acquire(now, permit, ask.clone(), verdict));
        }
        let Some(Step::Acquire(_, _, _, Verdict::Granted)) = steps.last() else { continue };
        now += gap / 2;
        match gap % 7 {
            0 | 1 => {}
            2 => {
                state.release(now, permit, &ask);
                steps.push(Step::Release(now, permit, ask));
            }
            said => {
                for _ in 0..=said % 2 {
                    state.finish(now, permit, &ask, &answered);
                    steps.push(Step::Finish(now, permit, ask.clone(), answered.clone()));
                }
            }
        }
    }
    steps
}

fn asks() -> impl Strategy<Value = Ask> {
    let route = prop_oneof![Just("GET /x"), Just("PATCH /y")];
    let priority = prop_oneof![Just(Priority::Bulk), Just(Priority::Interactive), Just(Priority::Stranger)];
    (route, 1..4_i64, priority).prop_map(|(route, major, priority)| Ask { route, major, priority })
}

fn answers() -> impl Strategy<Value = Answered> {
    let bucket = (prop_oneof![Just("a"), Just("b")], 1..6_u32, 0..3_u32, 0..3 * SECOND).prop_map(
        |(id, limit, remaining, reset_after)| Bucket { id: id.to_owned(), limit, remaining, reset_after },
    );
    let pause = (prop::bool::weighted(0.2), 0..SECOND).prop_map(|(global, wait)| Pause { global, wait });
    let (bucket, pause) = (prop::option::of(bucket), prop::option::weighted(0.1, pause));
    (prop::bool::weighted(0.9), bucket, pause, any::<bool>()).prop_map(|(heard, bucket, pause, invalid)| {
        if heard { Answered { heard, bucket, pause, invalid } } else { Answered::default() }
    })
}

#[tokio::test]
async fn scripts_learn_the_same_from_every_answer() {
    let namespace = Namespace::new(Servers::from_env());
    let mut pace = pace_in(&namespace).await;
    let rules = Rules::chat("3".parse().unwrap());
    let calls = prop::collection::vec((0..SECOND / 3, asks(), answers()), 150);
    let mut runner = TestRunner::default();
    for case in 0..12 {
        let calls = calls.new_tree(&mut runner).unwrap().current();
        pace.base = format!("{}:{case}", pace.base);
        *pace.known() = Known::default();
        follow(&mut pace, rules, &steps(rules, calls)).await;
    }
}
