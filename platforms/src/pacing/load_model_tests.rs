//! The pacing's guarantees under load.

use proptest::prelude::*;

use super::load_model::{Plan, walk};
use super::rate::Rules;
use crate::pacing::numbers::{Micros, SECOND};

const MS: Micros = SECOND / 1000;

fn chat() -> Rules {
    Rules::chat("50".parse().unwrap())
}

fn bulk_alone(latency: Micros) -> Plan {
    Plan {
        seed: latency,
        length: 20 * SECOND,
        latency: (latency, latency),
        bulk_from: vec![0],
        interactive_each: None,
        late: 3 * MS / 2,
    }
}

/// Jain's index: equal `numbers` give 1, one number that has all gives 1/n.
fn jain(numbers: &[f64]) -> f64 {
    let (sum, squares) = numbers.iter().fold((0.0, 0.0), |(sum, squares), n| (sum + n, squares + n * n));
    sum * sum / (f64::from(u32::try_from(numbers.len()).unwrap()) * squares)
}

#[test]
fn bulk_gets_all_that_any_rule_can_give_it() {
    for latency in [0, 20 * MS, 50 * MS, 100 * MS, 150 * MS, 300 * MS] {
        let seen = walk(chat(), bulk_alone(latency));
        assert!(seen.most_in(SECOND) <= 50);
        let (from, to) = (3 * SECOND, 19 * SECOND);
        let bound = 50 * (to - from) / (SECOND + latency);
        let arrived = seen.arrived(from, to) as u64;
        assert!(arrived * 100 >= bound * 97, "{arrived} of {bound} at {latency}");
    }
}

#[test]
fn interactive_calls_hardly_wait_whatever_bulk_does() {
    for latency in [0, 50 * MS, 150 * MS] {
        let plan = bulk_alone(latency);
        let plan =
            Plan { length: 60 * SECOND, interactive_each: Some(200 * MS), bulk_from: vec![0; 5], ..plan };
        let seen = walk(chat(), plan);
        let mut waits = seen.waits.clone();
        waits.sort_unstable();
        let at = |part: usize| waits[waits.len() * part / 100];
        assert!(waits.len() > 200 && at(50) == 0, "{} at {latency}", at(50));
        assert!(at(99) <= 60 * MS, "{} at {latency}", at(99));
        assert!(at(100 - 1) <= 100 * MS + latency && seen.most_in(SECOND) <= 50);
    }
}

#[test]
fn the_first_interactive_call_in_a_long_time_waits_no_longer_than_an_answer_and_a_burst() {
    for latency in [0, 50 * MS, 150 * MS] {
        for seed in 0..20 {
            let plan = Plan { seed, interactive_each: Some(5 * SECOND), ..bulk_alone(latency) };
            let longest = walk(chat(), plan).longest_wait();
            assert!(longest <= 130 * MS + latency, "{longest} at {latency}");
        }
    }
}

#[test]
fn bulk_keeps_a_useful_pace_beside_interactive_calls() {
    let plan = Plan { interactive_each: Some(200 * MS), ..bulk_alone(50 * MS) };
    let seen = walk(chat(), plan);
    let arrived = seen.arrived(3 * SECOND, 19 * SECOND);
    assert!(arrived >= 16 * 45, "{arrived} in 16 seconds");
}

#[test]
fn twenty_guilds_share_alike_in_every_second() {
    let plan = Plan { bulk_from: vec![0; 20], latency: (10 * MS, 90 * MS), ..bulk_alone(7) };
    let seen = walk(chat(), plan);
    for from in [4 * SECOND, 9 * SECOND, 14 * SECOND] {
        let shares: Vec<f64> = seen
            .bulk
            .values()
            .map(|grants| grants.iter().filter(|at| (from..from + 2 * SECOND).contains(*at)).count())
            .map(|count| f64::from(u32::try_from(count).unwrap()))
            .collect();
        assert_eq!(shares.len(), 20);
        assert!(jain(&shares) >= 0.97, "{} {shares:?}", jain(&shares));
    }
}

#[test]
fn a_busy_machine_costs_neither_pace_nor_shares() {
    for late in [10 * MS, 30 * MS, 60 * MS] {
        let plan = Plan { bulk_from: vec![0; 20], late, ..bulk_alone(50 * MS) };
        let seen = walk(chat(), plan);
        let arrived = seen.arrived(4 * SECOND, 19 * SECOND);
        assert!(arrived >= 15 * 45, "{arrived} in 15 s, timers late by {late}");
        let within = 4 * SECOND..8 * SECOND;
        let shares = seen.bulk.values().map(|grants| grants.iter().filter(|at| within.contains(at)).count());
        let shares: Vec<f64> = shares.map(|count| f64::from(u32::try_from(count).unwrap())).collect();
        assert!(jain(&shares) >= 0.96, "{} {shares:?}, timers late by {late}", jain(&shares));
    }
}

#[test]
fn a_small_bulk_beside_an_endless_one_takes_twice_its_time() {
    let took = |bulk_from: Vec<Micros>| {
        let small = i64::try_from(bulk_from.len()).unwrap();
        let begins = SECOND + bulk_from[bulk_from.len() - 1];
        let seen = walk(chat(), Plan { bulk_from, ..bulk_alone(50 * MS) });
        seen.bulk[&small][99] - begins
    };
    let (alone, beside) = (took(vec![5 * SECOND]), took(vec![0, 5 * SECOND]));
    assert!(beside * 100 <= alone * 215, "{beside} beside, {alone} alone");
}

/// More interactive calls than the platform permits, for ten minutes: bulk keeps its share, and each guild its part.
#[test]
fn bulk_of_twenty_guilds_keeps_a_fifth_beside_sixty_interactive_calls_a_second() {
    let each = Some(SECOND / 60);
    let length = 600 * SECOND;
    let plan = Plan { bulk_from: vec![0; 20], interactive_each: each, length, ..bulk_alone(50 * MS) };
    let seen = walk(chat(), plan);
    let shares: Vec<f64> =
        seen.bulk.values().map(|grants| f64::from(u32::try_from(grants.len()).unwrap())).collect();
    let (bulk, all) = (shares.iter().sum::<f64>(), seen.arrived(0, 600 * SECOND));
    let all = f64::from(u32::try_from(all).unwrap());
    assert!(bulk >= all / 5.0, "{bulk} of {all}");
    assert!(all >= 600.0 * 43.0, "interactive calls and bulk leave nothing idle: {all}");
    assert!(jain(&shares) >= 0.95, "{} {shares:?}", jain(&shares));
    assert!(seen.most_in(SECOND) <= 50);
}

#[test]
fn two_thousand_guilds_take_turns() {
    let plan = Plan { bulk_from: vec![0; 2_000], length: 100 * SECOND, ..bulk_alone(50 * MS) };
    let seen = walk(chat(), plan);
    let shares: Vec<usize> = seen.bulk.values().map(Vec::len).collect();
    assert_eq!(shares.len(), 2_000);
    assert!(shares.iter().all(|had| (1..=4).contains(had)), "{:?}", shares.iter().max());
    assert!(seen.arrived(4 * SECOND, 99 * SECOND) >= 95 * 45);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// For any response times, guilds and interactive calls.
    #[test]
    fn no_sliding_second_holds_more_than_the_limit(
        seed: u64, least in 0..200 * MS, spread in 0..2 * SECOND, guilds in 1..6_usize,
        late in 0..60 * MS, each in proptest::option::of(2 * MS..SECOND)
    ) {
        let latency = (least, least + spread);
        let bulk_from = (0..guilds).map(|n| n as u64 * 300 * MS).collect();
        let plan = Plan { seed, length: 6 * SECOND, latency, late, bulk_from, interactive_each: each };
        let most = walk(chat(), plan).most_in(SECOND);
        prop_assert!(most <= 50, "{most} requests in a second");
    }
}
