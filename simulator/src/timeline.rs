//! Records updates of members in order, and chat requests by the second. Tests of fairness and pacing
//! read it, because the order of service does not depend on the machine's speed.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Seconds and updates kept; more than an hour at the platform's rate.
const SECONDS_KEPT: usize = 4_000;
const UPDATES_KEPT: usize = 200_000;

pub(crate) struct Timeline {
    started: Instant,
    updates: Vec<Update>,
    seconds: Vec<u32>,
}

struct Update {
    at: Duration,
    guild: Box<str>,
    user: Box<str>,
}

impl Default for Timeline {
    fn default() -> Self {
        Self { started: Instant::now(), updates: Vec::new(), seconds: Vec::new() }
    }
}

impl Timeline {
    pub(crate) fn request(&mut self, now: Instant) {
        let second = usize::try_from(now.duration_since(self.started).as_secs()).unwrap_or(usize::MAX);
        if second < SECONDS_KEPT {
            self.seconds.resize(self.seconds.len().max(second + 1), 0);
            self.seconds[second] += 1;
        }
    }

    pub(crate) fn update(&mut self, guild: &str, user: &str, now: Instant) {
        if self.updates.len() < UPDATES_KEPT {
            let at = now.duration_since(self.started);
            self.updates.push(Update { at, guild: guild.into(), user: user.into() });
        }
    }

    pub(crate) fn by_second(&self) -> &[u32] {
        &self.seconds
    }

    pub(crate) fn by_guild(&self) -> BTreeMap<&str, u64> {
        let mut guilds = BTreeMap::new();
        for update in &self.updates {
            *guilds.entry(&*update.guild).or_default() += 1;
        }
        guilds
    }

    pub(crate) fn report(&self, after: usize) -> Value {
        let rows = self.updates.iter().skip(after).map(|update| {
            json!([u64::try_from(update.at.as_millis()).unwrap_or(u64::MAX), update.guild, update.user])
        });
        json!({ "updates": rows.collect::<Vec<_>>() })
    }
}
