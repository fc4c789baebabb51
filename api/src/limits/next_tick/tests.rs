use std::collections::BinaryHeap;

use runtime::Clock;

use super::*;
use crate::auth::server::sharer;

const MINUTE: Duration = Duration::from_mins(1);
const LATENCY: Duration = Duration::from_millis(50);
const LIMIT: u32 = 300;

/// Servers of a key that come back when they are told.
struct Game {
    clock: Clock,
    limits: Limits,
    rate: Rate,
    /// The times of the next ticks, from the begin of the clock, and whether it is the first of its server.
    due: BinaryHeap<std::cmp::Reverse<(Duration, String, bool)>>,
    refused: usize,
    ticks: usize,
    longest: Duration,
}

impl Game {
    fn new(factor: u32) -> Self {
        let clock = Clock::manual("2026-11-26T12:00:00Z".parse().unwrap());
        let (limits, rate) = (Limits::in_process(clock.clone()), Rate::per(LIMIT * factor, MINUTE));
        Self { clock, limits, rate, due: BinaryHeap::new(), refused: 0, ticks: 0, longest: Duration::ZERO }
    }

    /// These start within so long from now.
    fn start(&mut self, name: &str, servers: u32, within: Duration) {
        for n in 0..servers {
            let at = self.clock.steady() + within * n / servers;
            self.due.push(std::cmp::Reverse((at, format!("{name}{n}"), true)));
        }
    }

    /// All end without a word.
    fn crash(&mut self) {
        self.due.clear();
    }

    async fn run(&mut self, time: Duration) {
        let end = self.clock.steady() + time;
        while let Some(std::cmp::Reverse((at, server, first))) = self.due.pop() {
            if at > end {
                self.due.push(std::cmp::Reverse((at, server, first)));
                break;
            }
            self.clock.advance(at.saturating_sub(self.clock.steady()));
            self.ticks += 1;
            let next = self.tick(&server, first).await;
            self.longest = self.longest.max(next);
            self.due.push(std::cmp::Reverse((self.clock.steady() + next + LATENCY, server, false)));
        }
        self.clock.advance(end.saturating_sub(self.clock.steady()));
    }

    async fn tick(&mut self, server: &str, first: bool) -> Duration {
        let counter = Counter::Key(1, "server_tick");
        let ticks = Ticks { limits: &self.limits, counter, rate: self.rate };
        let counted = if first { Counter::Key(1, "server_tick_first") } else { counter };
        let decision = self.limits.take_share(counted, self.rate, sharer(server)).await;
        if !decision.allowed {
            self.refused += 1;
            return decision.reset_after;
        }
        ticks.next(sharer(server), (!first).then_some(Held { time: Duration::ZERO, early: false }))
    }

    fn seconds(&self) -> f64 {
        self.longest.as_secs_f64()
    }
}

#[tokio::test]
async fn fifty_servers_of_a_key_are_never_refused_and_come_every_ten_seconds() {
    let mut game = Game::new(1);
    game.start("a", 50, Duration::from_secs(20));
    game.run(10 * MINUTE).await;
    assert_eq!(game.refused, 0);
    assert!(game.seconds() < 11.0 && game.ticks > 2_800, "{} {}", game.seconds(), game.ticks);
}

#[tokio::test]
async fn three_hundred_with_a_factor_of_five_are_never_refused() {
    let mut game = Game::new(5);
    game.start("a", 300, Duration::from_secs(3));
    game.run(2 * MINUTE).await;
    assert!(game.seconds() < 30.0, "{}", game.seconds());
    game.longest = Duration::ZERO;
    game.run(8 * MINUTE).await;
    assert_eq!(game.refused, 0);
    assert!(game.seconds() < 13.0, "{}", game.seconds());
}

#[tokio::test]
async fn all_servers_may_restart_at_once_at_any_moment_of_a_window() {
    for second in (0..60).step_by(7) {
        let mut game = Game::new(1);
        game.start("a", 50, Duration::from_secs(20));
        game.run(3 * MINUTE + Duration::from_secs(second)).await;
        game.crash();
        game.start("b", 50, Duration::from_secs(1));
        game.run(3 * MINUTE).await;
        assert_eq!(game.refused, 0, "{second}");
        assert!(game.seconds() < 30.0, "{second}: {}", game.seconds());
        game.longest = Duration::ZERO;
        game.run(MINUTE).await;
        assert!(game.seconds() < 11.0, "those that have gone hold nothing back: {}", game.seconds());
    }
}

#[tokio::test]
async fn more_servers_than_the_limit_is_made_for_come_less_often() {
    let mut game = Game::new(1);
    game.start("a", 250, Duration::from_secs(30));
    game.run(10 * MINUTE).await;
    assert_eq!(game.refused, 0);
    assert!((50.0..110.0).contains(&game.seconds()), "{}", game.seconds());
}

#[tokio::test]
async fn a_server_alone_comes_every_five_seconds() {
    let mut game = Game::new(1);
    game.start("a", 1, Duration::ZERO);
    game.run(MINUTE).await;
    assert!((10..=14).contains(&game.ticks), "{}", game.ticks);
}

#[tokio::test]
async fn a_tick_that_ended_early_comes_back_soon_while_there_are_calls_to_spare() {
    let game = Game::new(1);
    let ticks = Ticks { limits: &game.limits, counter: Counter::Key(1, "server_tick"), rate: game.rate };
    let early = Some(Held { time: Duration::from_secs(1), early: true });
    let mut soon = 0;
    for _ in 0..300 {
        let taken = game.limits.take_share(ticks.counter, game.rate, sharer("a")).await;
        assert!(taken.allowed);
        soon += usize::from(ticks.next(sharer("a"), early) < Duration::from_secs(1));
    }
    assert!((297..300).contains(&soon), "{soon}");
    assert!(!game.limits.take_share(ticks.counter, game.rate, sharer("a")).await.allowed);
}
