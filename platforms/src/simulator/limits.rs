//! The limits of the real hosts: a sliding second over all chat requests, buckets for each route and guild, a sliding
//! minute for each key of the game platform.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use http::HeaderName;

use super::reply::Reply;
use super::router::{BucketRule, Route, Side};

const CHAT_PER_SECOND: usize = 50;
const CLOUD_PER_MINUTE: usize = 300;
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);

#[derive(Default)]
pub(super) struct Limiter {
    chat: VecDeque<Instant>,
    buckets: HashMap<(&'static str, String), Window>,
    keys: HashMap<Vec<u8>, VecDeque<Instant>>,
}

/// A fixed window, opened by the first request in it.
struct Window {
    opened: Instant,
    used: u32,
}

type Headers = Vec<(HeaderName, String)>;

impl Limiter {
    /// `Ok`: the headers an answer carries. `Err`: the 429.
    pub(super) fn pass(
        &mut self,
        route: &Route,
        guild: &str,
        key: &[u8],
        now: Instant,
    ) -> Result<Headers, Reply> {
        match (route.side, route.bucket) {
            (Side::Chat, Some(rule)) => self.pass_chat(rule, guild, now),
            (Side::Cloud, _) => self.pass_cloud(key, now),
            _ => Ok(Headers::new()),
        }
    }

    fn pass_chat(&mut self, rule: BucketRule, guild: &str, now: Instant) -> Result<Headers, Reply> {
        if let Some(wait) = full(&mut self.chat, CHAT_PER_SECOND, SECOND, now) {
            return Err(Reply::chat_limited(wait.as_secs_f64(), true));
        }
        let fresh = || Window { opened: now, used: 0 };
        let window = self.buckets.entry((rule.name, guild.to_owned())).or_insert_with(fresh);
        if now.duration_since(window.opened) >= rule.window {
            *window = fresh();
        }
        let reset_after = (window.opened + rule.window).duration_since(now).as_secs_f64();
        if window.used >= rule.limit {
            let mut limited = Reply::chat_limited(reset_after, false);
            limited.headers.extend(bucket_headers(rule, 0, reset_after));
            return Err(limited);
        }
        window.used += 1;
        self.chat.push_back(now);
        Ok(bucket_headers(rule, rule.limit - window.used, reset_after))
    }

    fn pass_cloud(&mut self, key: &[u8], now: Instant) -> Result<Headers, Reply> {
        let calls = self.keys.entry(key.to_vec()).or_default();
        if let Some(wait) = full(calls, CLOUD_PER_MINUTE, MINUTE, now) {
            let limited = Reply::play_error(429, "RESOURCE_EXHAUSTED", "Too many requests");
            return Err(limited.with("retry-after", &wait.as_secs_f64().ceil().to_string()));
        }
        calls.push_back(now);
        Ok(vec![
            (HeaderName::from_static("x-ratelimit-limit"), CLOUD_PER_MINUTE.to_string()),
            (HeaderName::from_static("x-ratelimit-remaining"), (CLOUD_PER_MINUTE - calls.len()).to_string()),
        ])
    }
}

/// How long until the oldest call leaves the sliding window, when the window is full.
fn full(calls: &mut VecDeque<Instant>, limit: usize, window: Duration, now: Instant) -> Option<Duration> {
    while calls.front().is_some_and(|call| now.duration_since(*call) >= window) {
        calls.pop_front();
    }
    let oldest = calls.front().filter(|_| calls.len() >= limit)?;
    Some((*oldest + window).duration_since(now))
}

fn bucket_headers(rule: BucketRule, remaining: u32, reset_after: f64) -> Headers {
    vec![
        (HeaderName::from_static("x-ratelimit-bucket"), rule.name.to_owned()),
        (HeaderName::from_static("x-ratelimit-limit"), rule.limit.to_string()),
        (HeaderName::from_static("x-ratelimit-remaining"), remaining.to_string()),
        (HeaderName::from_static("x-ratelimit-reset-after"), format!("{reset_after:.3}")),
    ]
}
