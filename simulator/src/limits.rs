//! The limits of the real hosts: a sliding second over all chat requests, buckets for each route and guild, a minute
//! for each key of the game platform.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant, SystemTime};

use http::HeaderName;

use crate::options::RateLimit;
use crate::reply::Reply;
use crate::route::{BucketRule, Route, Side, Window};

const CHAT_PER_SECOND: usize = 50;
const SECOND: Duration = Duration::from_secs(1);
/// For each key of the game platform.
const CLOUD: BucketRule =
    BucketRule { name: "", limit: 300, window: Duration::from_mins(1), kind: Window::Fixed };

#[derive(Default)]
pub(crate) struct Limiter {
    chat: VecDeque<Instant>,
    buckets: HashMap<(&'static str, String), Bucket>,
    keys: HashMap<Vec<u8>, Bucket>,
}

/// Fixed: the window opens with its first request and ends at `until`. Sliding: one request is restored each
/// window ÷ limit, and all of them at `until`.
struct Bucket {
    until: Instant,
    used: u32,
}

/// A bucket's decision on one request.
struct Counted {
    remaining: u32,
    /// Time until the whole limit is restored.
    reset_after: Duration,
    /// Refused: time until one request may pass.
    retry_after: Option<Duration>,
}

/// The key of a limit.
pub(crate) struct LimitedRequest<'a> {
    pub(crate) route: &'a Route,
    pub(crate) guild: &'a str,
    /// The credential.
    pub(crate) key: &'a [u8],
}

type Headers = Vec<(HeaderName, String)>;

impl Limiter {
    /// `Ok`: the headers of a response. `Err`: the 429.
    pub(crate) fn pass(
        &mut self,
        profile: RateLimit,
        request: &LimitedRequest<'_>,
        now: Instant,
    ) -> Result<Headers, Reply> {
        let LimitedRequest { route, guild, key } = *request;
        match (profile, route.side) {
            (RateLimit::Discord | RateLimit::Fast, Side::Chat) => {
                let rule = route.bucket.filter(|_| profile == RateLimit::Discord);
                self.pass_chat(rule, guild, now)
            }
            (RateLimit::Discord, Side::Cloud) => self.pass_cloud(key, now),
            _ => Ok(Headers::new()),
        }
    }

    fn pass_chat(&mut self, rule: Option<BucketRule>, guild: &str, now: Instant) -> Result<Headers, Reply> {
        if let Some(wait) = self.chat_full(now) {
            return Err(Reply::chat_limited(wait.as_secs_f64(), true));
        }
        let headers = match rule {
            Some(rule) => {
                let key = (rule.name, guild.to_owned());
                let bucket = self.buckets.entry(key).or_insert_with(|| Bucket::new(now));
                let counted = bucket.count(rule, now);
                let headers = chat_headers(rule, &counted);
                if let Some(wait) = counted.retry_after {
                    let mut limited = Reply::chat_limited(wait.as_secs_f64(), false);
                    limited.headers.extend(headers);
                    return Err(limited);
                }
                headers
            }
            None => Headers::new(),
        };
        self.chat.push_back(now);
        Ok(headers)
    }

    /// Time until the oldest call leaves the sliding second, when the second is full.
    fn chat_full(&mut self, now: Instant) -> Option<Duration> {
        while self.chat.front().is_some_and(|call| now.duration_since(*call) >= SECOND) {
            self.chat.pop_front();
        }
        let oldest = self.chat.front().filter(|_| self.chat.len() >= CHAT_PER_SECOND)?;
        Some((*oldest + SECOND).duration_since(now))
    }

    fn pass_cloud(&mut self, key: &[u8], now: Instant) -> Result<Headers, Reply> {
        let bucket = self.keys.entry(key.to_vec()).or_insert_with(|| Bucket::new(now));
        let counted = bucket.count(CLOUD, now);
        let headers = cloud_headers(&counted);
        let Some(wait) = counted.retry_after else { return Ok(headers) };
        let mut limited = Reply::play_limited(wait.as_secs_f64());
        limited.headers.extend(headers);
        Err(limited)
    }
}

impl Bucket {
    fn new(now: Instant) -> Self {
        Self { until: now, used: 0 }
    }

    fn count(&mut self, rule: BucketRule, now: Instant) -> Counted {
        match rule.kind {
            Window::Fixed => self.count_fixed(rule, now),
            Window::Sliding => self.count_sliding(rule, now),
        }
    }

    fn count_fixed(&mut self, rule: BucketRule, now: Instant) -> Counted {
        if self.until <= now {
            *self = Self { until: now + rule.window, used: 0 };
        }
        let reset_after = self.until - now;
        if self.used >= rule.limit {
            return Counted { remaining: 0, reset_after, retry_after: Some(reset_after) };
        }
        self.used += 1;
        Counted { remaining: rule.limit - self.used, reset_after, retry_after: None }
    }

    fn count_sliding(&mut self, rule: BucketRule, now: Instant) -> Counted {
        let one = rule.window / rule.limit;
        let spent = self.until.saturating_duration_since(now);
        let Some(room) = rule.window.checked_sub(spent + one) else {
            let retry_after = (spent + one).saturating_sub(rule.window);
            return Counted { remaining: 0, reset_after: spent, retry_after: Some(retry_after) };
        };
        let reset_after = spent + one;
        self.until = now + reset_after;
        let remaining = u32::try_from(room.as_nanos() / one.as_nanos().max(1)).unwrap_or(rule.limit);
        Counted { remaining, reset_after, retry_after: None }
    }
}

fn chat_headers(rule: BucketRule, counted: &Counted) -> Headers {
    let reset_at = SystemTime::now() + counted.reset_after;
    let epoch = reset_at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    let reset_after = counted.reset_after.as_secs_f64();
    headers([
        ("x-ratelimit-bucket", rule.name.to_owned()),
        ("x-ratelimit-limit", rule.limit.to_string()),
        ("x-ratelimit-remaining", counted.remaining.to_string()),
        ("x-ratelimit-reset", format!("{epoch:.3}")),
        ("x-ratelimit-reset-after", format!("{reset_after:.3}")),
    ])
}

fn cloud_headers(counted: &Counted) -> Headers {
    let BucketRule { limit, window, .. } = CLOUD;
    let reset = counted.reset_after.as_secs_f64().ceil();
    headers([
        ("x-ratelimit-limit", format!("{limit}, {limit};w={}", window.as_secs())),
        ("x-ratelimit-remaining", counted.remaining.to_string()),
        ("x-ratelimit-reset", reset.to_string()),
    ])
}

fn headers<const N: usize>(named: [(&'static str, String); N]) -> Headers {
    named.map(|(name, value)| (HeaderName::from_static(name), value)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Duration = Duration::from_millis(1);

    fn rule(kind: Window) -> BucketRule {
        BucketRule { name: "b", limit: 10, window: Duration::from_secs(10), kind }
    }

    /// The number of these requests, one each millisecond from `from` on, that pass.
    fn passed(bucket: &mut Bucket, kind: Window, from: Instant, requests: u32) -> usize {
        (0..requests).filter(|n| bucket.count(rule(kind), from + STEP * *n).retry_after.is_none()).count()
    }

    #[test]
    fn a_fixed_window_restores_all_requests_at_once() {
        let start = Instant::now();
        let mut bucket = Bucket::new(start);
        assert_eq!(passed(&mut bucket, Window::Fixed, start, 20), 10);
        assert_eq!(passed(&mut bucket, Window::Fixed, start + Duration::from_secs(9), 20), 0);
        assert_eq!(passed(&mut bucket, Window::Fixed, start + Duration::from_secs(10), 20), 10);
    }

    #[test]
    fn a_sliding_window_restores_one_request_after_the_other() {
        let start = Instant::now();
        let mut bucket = Bucket::new(start);
        assert_eq!(passed(&mut bucket, Window::Sliding, start, 20), 10);
        assert_eq!(passed(&mut bucket, Window::Sliding, start + Duration::from_secs(3), 20), 3);
        let refused = bucket.count(rule(Window::Sliding), start + Duration::from_millis(3_500));
        assert_eq!((refused.remaining, refused.retry_after), (0, Some(Duration::from_millis(500))));
        assert_eq!(refused.reset_after, Duration::from_millis(9_500));
        assert_eq!(passed(&mut bucket, Window::Sliding, start + Duration::from_secs(60), 20), 10);
    }
}
