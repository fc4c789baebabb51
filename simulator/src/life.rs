//! The life of the simulated communities: members join, leave, are promoted, demoted and renamed, and others than the bot change
//! roles and nicknames. Each change is made as `POST /control/members` makes it, so that the event stream tells of it.
//!
//! What happens next is drawn from a seeded source (`next.rs`); the same seed on the same state makes the same changes. Changes
//! happen in time (`driver.rs`), or at once by `POST /control/life`. `ledger.rs` knows what the bot must leave alone.

pub(crate) mod change;
pub(crate) mod driver;
mod ledger;
mod next;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use entities::ChatId;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use crate::life::change::{Kind, LifeChange};
use crate::life::ledger::Ledger;
use crate::state::SimulatorState;

/// Changes that the report shows.
const SHOWN: usize = 20;
const SEED: u64 = 1;

pub(crate) struct Life {
    /// Changes an hour.
    rate: u32,
    seed: u64,
    random: StdRng,
    /// Users whom it leaves alone, beside owners and bots.
    pub(crate) spared: BTreeSet<ChatId>,
    counts: BTreeMap<Kind, u64>,
    /// The newest last.
    last: VecDeque<LifeChange>,
    ledger: Ledger,
}

impl Life {
    pub(crate) fn new(rate: u32) -> Self {
        Self {
            rate,
            seed: SEED,
            random: StdRng::seed_from_u64(SEED),
            spared: BTreeSet::new(),
            counts: BTreeMap::new(),
            last: VecDeque::new(),
            ledger: Ledger::default(),
        }
    }

    pub(crate) fn set_rate(&mut self, rate: u32) {
        self.rate = rate;
    }

    pub(crate) fn set_seed(&mut self, seed: u64) {
        (self.seed, self.random) = (seed, StdRng::seed_from_u64(seed));
    }

    /// Until the next change; `None`: none happens by itself.
    fn wait(&mut self) -> Option<Duration> {
        (self.rate > 0).then(|| next::wait(self.rate, &mut self.random))
    }

    /// Makes the next change; `None`: nothing can change.
    pub(crate) fn step(&mut self, state: &mut SimulatorState) -> Option<LifeChange> {
        let change = next::change(state, &self.spared, &mut self.random)?;
        self.make(state, change.clone()).ok()?;
        Some(change)
    }

    /// The error names the wrong field.
    pub(crate) fn make(&mut self, state: &mut SimulatorState, change: LifeChange) -> Result<(), String> {
        let before = ledger::member(state, &change.change).cloned();
        change.change.apply(state)?;
        self.ledger.note(state, &change.change, before.as_ref());
        *self.counts.entry(change.kind).or_default() += 1;
        if self.last.len() >= SHOWN {
            self.last.pop_front();
        }
        self.last.push_back(change);
        Ok(())
    }

    pub(crate) fn report(&self, state: &SimulatorState) -> Value {
        let undone = self
            .ledger
            .undone(state)
            .map(|(guild, user, what)| json!({ "guild_id": guild, "chat_id": user, "what": what }));
        json!({
            "changes_an_hour": self.rate, "seed": self.seed, "changes": self.counts.values().sum::<u64>(),
            "counts": self.counts, "last": self.last, "undone": undone.collect::<Vec<_>>(),
        })
    }
}
