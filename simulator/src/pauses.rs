//! Checks that clients keep the pauses of 429s: a request during one is an ignored pause. Calls without limits
//! are not checked: no pacing coordinates them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::reply::Reply;
use crate::route::{Route, Side};

/// A request this soon after the 429 was sent may have been in flight already.
const IN_FLIGHT_FOR: Duration = Duration::from_millis(500);

#[derive(Default)]
pub(crate) struct Pauses {
    pauses: HashMap<PauseScope, Pause>,
    pub(crate) ignored: u64,
}

/// The scope of a pause.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum PauseScope {
    /// All requests to the platform.
    Platform(Platform),
    /// One bucket (or a route without one) in one guild.
    Bucket(&'static str, String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Platform {
    Chat,
    Play,
}

struct Pause {
    from: Instant,
    until: Instant,
}

impl Pauses {
    pub(crate) fn arrival(&mut self, route: &Route, guild: &str, now: Instant) {
        if route.side.is_unlimited() {
            return;
        }
        self.pauses.retain(|_, pause| pause.until > now);
        let concerned = [PauseScope::Platform(platform(route)), bucket(route, guild)];
        let ignores = |scope| self.pauses.get(scope).is_some_and(|pause| pause.from <= now);
        self.ignored += u64::from(concerned.iter().any(ignores));
    }

    /// Call it when the response is sent: a client cannot keep a pause before it receives it.
    pub(crate) fn answered(&mut self, route: &Route, guild: &str, reply: &Reply, now: Instant) {
        if reply.status != 429 || route.side.is_unlimited() {
            return;
        }
        let body = reply.body.as_ref();
        let global = body.and_then(|body| body["global"].as_bool()).unwrap_or(true);
        let header = || reply.headers.iter().find(|(name, _)| name == "retry-after")?.1.parse().ok();
        let seconds = body.and_then(|body| body["retry_after"].as_f64()).or_else(header).unwrap_or(0.0);
        let scope = if global { PauseScope::Platform(platform(route)) } else { bucket(route, guild) };
        self.pauses.insert(
            scope,
            Pause { from: now + IN_FLIGHT_FOR, until: now + Duration::from_secs_f64(seconds) },
        );
    }

    /// Resets the count; active pauses continue.
    pub(crate) fn reset(&mut self) {
        self.ignored = 0;
    }
}

fn platform(route: &Route) -> Platform {
    if route.side == Side::Chat { Platform::Chat } else { Platform::Play }
}

fn bucket(route: &Route, guild: &str) -> PauseScope {
    PauseScope::Bucket(route.bucket.map_or(route.name, |rule| rule.name), guild.to_owned())
}
