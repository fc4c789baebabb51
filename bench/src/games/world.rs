//! Who plays where, who was banned and when they were kicked.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub(super) struct World {
    pub(super) guild: String,
    servers: usize,
    players: usize,
    bans: Mutex<HashMap<i64, (Instant, Option<Duration>)>>,
    calls: AtomicU64,
    refused: AtomicU64,
}

pub(super) struct Seen {
    pub(super) calls: u64,
    pub(super) refused: u64,
    pub(super) missed: usize,
    /// Sorted.
    times: Vec<f64>,
}

impl Seen {
    pub(super) fn median(&self) -> f64 {
        self.times.get(self.times.len() / 2).copied().unwrap_or(f64::NAN)
    }

    pub(super) fn longest(&self) -> f64 {
        self.times.last().copied().unwrap_or(f64::NAN)
    }
}

impl World {
    pub(super) fn new(guild: String, servers: usize, players: usize) -> Self {
        let (calls, refused) = (AtomicU64::default(), AtomicU64::default());
        Self { guild, servers, players, bans: Mutex::default(), calls, refused }
    }

    pub(super) fn players_of(&self, server: usize) -> Vec<i64> {
        let first = 3_000_000 + i64::try_from(server * self.players).unwrap_or_default();
        let gone = self.lock();
        let all = first..first + i64::try_from(self.players).unwrap_or_default();
        all.filter(|player| gone.get(player).is_none_or(|(_, kicked)| kicked.is_none())).collect()
    }

    /// Somebody who is not banned yet.
    pub(super) fn choose(&self) -> i64 {
        loop {
            let player = 3_000_000
                + i64::try_from(rand::random_range(0..self.servers * self.players)).unwrap_or_default();
            if !self.lock().contains_key(&player) {
                return player;
            }
        }
    }

    pub(super) fn banned(&self, player: i64) {
        self.lock().insert(player, (Instant::now(), None));
    }

    /// A server was told that the player is banned, and has them.
    pub(super) fn kick(&self, server: usize, player: i64) {
        let first = 3_000_000 + i64::try_from(server * self.players).unwrap_or_default();
        let own = (first..first + i64::try_from(self.players).unwrap_or_default()).contains(&player);
        if let Some((at, kicked)) = self.lock().get_mut(&player).filter(|_| own) {
            kicked.get_or_insert(at.elapsed());
        }
    }

    pub(super) fn answered(&self, status: u16) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.refused.fetch_add(u64::from(status == 429), Ordering::Relaxed);
    }

    pub(super) fn seen(&self) -> Seen {
        let bans = self.lock();
        let mut times: Vec<_> =
            bans.values().filter_map(|(_, kicked)| kicked.map(|time| time.as_secs_f64())).collect();
        times.sort_by(f64::total_cmp);
        let missed = bans.len() - times.len();
        let [calls, refused] = [&self.calls, &self.refused].map(|count| count.load(Ordering::Relaxed));
        Seen { calls, refused, missed, times }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, (Instant, Option<Duration>)>> {
        self.bans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
