//! Counts requests as the platforms count them.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::pauses::Pauses;
use crate::reply::Reply;
use crate::route::{Input, Route, Side};
use crate::timeline::Timeline;

const SECOND: Duration = Duration::from_secs(1);
/// Counted routes; all others are named in the router's table only.
pub(crate) const READ_MEMBERS: &str = "GET /guilds/:guild/members";
pub(crate) const UPDATE_MEMBER: &str = "PATCH /guilds/:guild/members/:user";
pub(crate) const ADD_ROLE: &str = "PUT /guilds/:guild/members/:user/roles/:role";
pub(crate) const REMOVE_ROLE: &str = "DELETE /guilds/:guild/members/:user/roles/:role";
pub(crate) const BAN: &str = "PUT /guilds/:guild/bans/:user";
pub(crate) const CREATE_CHANNEL: &str = "POST /guilds/:guild/channels";
pub(crate) const PUT_COMMANDS: &str = "PUT /applications/:app/commands";
pub(crate) const PUT_GUILD_COMMANDS: &str = "PUT /applications/:app/guilds/:guild/commands";
const UPDATES: [&str; 3] = [UPDATE_MEMBER, ADD_ROLE, REMOVE_ROLE];

#[derive(Default)]
pub(crate) struct Stats {
    requests: BTreeMap<&'static str, BTreeMap<u16, u64>>,
    last_second: VecDeque<Instant>,
    max_per_second: usize,
    chat_requests: u64,
    play_requests: u64,
    pauses: Pauses,
    pub(crate) timeline: Timeline,
}

impl Stats {
    pub(crate) fn arrival(&mut self, route: &Route, guild: &str, now: Instant) {
        self.pauses.arrival(route, guild, now);
        match route.side {
            Side::Chat => {}
            Side::SignIn | Side::PlaySignIn | Side::Open => return,
            Side::Cloud | Side::Users | Side::Control => {
                self.play_requests += 1;
                return;
            }
        }
        self.chat_requests += 1;
        self.timeline.request(now);
        self.last_second.push_back(now);
        while self.last_second.front().is_some_and(|seen| now.duration_since(*seen) >= SECOND) {
            self.last_second.pop_front();
        }
        self.max_per_second = self.max_per_second.max(self.last_second.len());
    }

    /// The request has taken effect, and this is its response.
    pub(crate) fn served(&mut self, route: &Route, input: &Input, status: u16) {
        *self.requests.entry(route.name).or_default().entry(status).or_default() += 1;
        if (200..300).contains(&status) && UPDATES.contains(&route.name) {
            self.timeline.update(input.param("guild"), input.param("user"), Instant::now());
        }
    }

    /// The response is being sent.
    pub(crate) fn answered(&mut self, route: &Route, guild: &str, reply: &Reply) {
        self.pauses.answered(route, guild, reply, Instant::now());
    }

    /// Resets the counts, but keeps the last second, which the next maximum includes, and active pauses.
    pub(crate) fn reset(&mut self) {
        let last_second = std::mem::take(&mut self.last_second);
        let mut pauses = std::mem::take(&mut self.pauses);
        pauses.reset();
        *self = Self { last_second, pauses, ..Self::default() };
    }

    /// `GET /control/stats`. `updates_by_guild`: successful updates of members; `chat_by_second`: chat requests in each
    /// second since the start or reset; `ignored_pauses`: requests sent during the pause of a 429. The endpoint adds `faults_left`.
    pub(crate) fn report(&self) -> Value {
        json!({
            "requests": self.requests,
            "member_updates": UPDATES.iter().map(|route| self.succeeded(route)).sum::<u64>(),
            "updates_by_guild": self.timeline.by_guild(),
            "page_calls": self.answers(READ_MEMBERS),
            "channels_created": self.succeeded(CREATE_CHANNEL),
            "commands_put": self.succeeded(PUT_COMMANDS) + self.succeeded(PUT_GUILD_COMMANDS),
            "bans": self.succeeded(BAN),
            "rate_limited": self.with_status(&[429]),
            "invalid": self.with_status(&[401, 403, 429]),
            "ignored_pauses": self.pauses.ignored,
            "max_per_second": self.max_per_second,
            "chat_by_second": self.timeline.by_second(),
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
