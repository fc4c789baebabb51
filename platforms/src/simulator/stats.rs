//! What came in, counted as the platforms would count it.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::router::{Route, Side};
use crate::routes::chat as routes;

const SECOND: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct Stats {
    /// Answers by route and status.
    requests: BTreeMap<&'static str, BTreeMap<u16, u64>>,
    /// Arrivals of chat requests in the last second.
    last_second: VecDeque<Instant>,
    max_per_second: usize,
    chat_requests: u64,
    play_requests: u64,
}

impl Stats {
    pub(super) fn arrival(&mut self, route: &Route, now: Instant) {
        if route.side != Side::Chat {
            self.play_requests += 1;
            return;
        }
        self.chat_requests += 1;
        self.last_second.push_back(now);
        while self.last_second.front().is_some_and(|seen| now.duration_since(*seen) >= SECOND) {
            self.last_second.pop_front();
        }
        self.max_per_second = self.max_per_second.max(self.last_second.len());
    }

    pub(super) fn answered(&mut self, route: &Route, status: u16) {
        *self.requests.entry(route.name).or_default().entry(status).or_default() += 1;
    }

    /// Starts from nothing, but keeps the last second: the next maximum sees it.
    pub(super) fn reset(&mut self) {
        let last_second = std::mem::take(&mut self.last_second);
        *self = Self { last_second, ..Self::default() };
    }

    pub(super) fn report(&self) -> Value {
        let updates = [routes::UPDATE_MEMBER, routes::ADD_ROLE, routes::REMOVE_ROLE];
        json!({
            "requests": self.requests,
            "member_updates": updates.iter().map(|route| self.succeeded(route)).sum::<u64>(),
            "page_calls": self.answers(routes::MEMBERS),
            "channels_created": self.succeeded(routes::CREATE_CHANNEL),
            "bans": self.succeeded(routes::BAN),
            "rate_limited": self.with_status(&[429]),
            "invalid": self.with_status(&[401, 403, 429]),
            "max_per_second": self.max_per_second,
            "chat_requests": self.chat_requests,
            "play_requests": self.play_requests,
        })
    }

    fn answers(&self, route: &str) -> u64 {
        self.requests.get(route).map_or(0, |statuses| statuses.values().sum())
    }

    fn succeeded(&self, route: &str) -> u64 {
        self.requests.get(route).map_or(0, |statuses| statuses.range(200..300).map(|(_, count)| count).sum())
    }

    fn with_status(&self, wanted: &[u16]) -> u64 {
        let all = self.requests.values().flatten();
        all.filter(|(status, _)| wanted.contains(status)).map(|(_, count)| count).sum()
    }
}
