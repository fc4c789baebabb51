//! Injected faults: the next responses of a route are an error, oversized, late, flawed, or a combination.

use std::time::Duration;

use entities::GuildId;
use serde::Deserialize;
use serde_json::json;

use crate::flaw::Flaw;
use crate::huge::Huge;
use crate::reply::Reply;
use crate::route::Side;

/// Applies to every platform route.
const ANY_ROUTE: &str = "*";
const MAX_HANG_MS: u64 = 600_000;

/// As sent to `POST /control/faults`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fault {
    route: String,
    /// Applies only to requests for this guild.
    guild_id: Option<GuildId>,
    /// Responds with this status instead of serving. `None` with only `hang_ms`: late, but served.
    status: Option<u16>,
    hang_ms: Option<u64>,
    /// Responds with a body of this size, and with 200 if no status is given.
    huge_bytes: Option<u64>,
    /// The route serves, but its answer has this flaw.
    pub(crate) flaw: Option<Flaw>,
    #[serde(default)]
    content_length: bool,
    /// The request takes effect first: only its response is late, lost or an error.
    #[serde(default)]
    pub(crate) served: bool,
    /// Remaining requests; 1 if absent.
    count: Option<u64>,
    /// Seconds, for a 429; 1 if absent.
    retry_after: Option<f64>,
    #[serde(default)]
    global: bool,
    /// The chat platform's code in the body, if it differs from the status's default.
    code: Option<i64>,
}

impl Fault {
    pub(crate) fn check(&self, served_routes: &[&str]) -> Result<(), String> {
        if self.route != ANY_ROUTE && !served_routes.contains(&self.route.as_str()) {
            return Err(format!("route: {:?} is not served; see GET /control/routes", self.route));
        }
        if self.status.is_some_and(|status| !(400..=599).contains(&status)) {
            return Err("status: must be 400 to 599".to_owned());
        }
        if self.hang_ms.is_some_and(|hang| hang > MAX_HANG_MS) {
            return Err(format!("hang_ms: must be at most {MAX_HANG_MS}"));
        }
        if let Some(flaw) = self.flaw.filter(|flaw| !flaw.routes().contains(&self.route.as_str())) {
            return Err(format!("flaw: only these routes have it: {}", flaw.routes().join(", ")));
        }
        let is_empty = self.status.is_none() && self.hang_ms.is_none() && self.huge_bytes.is_none();
        if is_empty && self.flaw.is_none() {
            return Err("status: give status, hang_ms, huge_bytes, flaw or several of them".to_owned());
        }
        if self.count == Some(0) {
            return Err("count: must be at least 1".to_owned());
        }
        if self.retry_after.is_some_and(|seconds| !(0.0..=3600.0).contains(&seconds)) {
            return Err("retry_after: must be 0 to 3600 seconds".to_owned());
        }
        Ok(())
    }

    pub(crate) fn hang(&self) -> Option<Duration> {
        self.hang_ms.map(Duration::from_millis)
    }

    pub(crate) fn reply(&self, side: Side) -> Option<Reply> {
        if let Some(bytes) = self.huge_bytes {
            let huge = Huge { bytes, content_length: self.content_length };
            return Some(Reply::huge(self.status.unwrap_or(200), huge));
        }
        let status = self.status?;
        let retry_after = self.retry_after.unwrap_or(1.0);
        let is_chat = side.is_chat_platform();
        if let (Some(code), true) = (self.code, is_chat) {
            return Some(Reply::chat_error(status, code, &format!("{status}: injected fault")));
        }
        Some(match (status, is_chat) {
            (401, true) => Reply::chat_unauthorized(),
            (401, _) => Reply::play_unauthorized(),
            (429, true) => Reply::chat_limited(retry_after, self.global),
            (429, _) => Reply::play_limited(retry_after),
            (403, true) => Reply::chat_error(403, 50013, "Missing Permissions"),
            (_, true) => Reply::chat_error(status, 0, &format!("{status}: injected fault")),
            _ => Reply::json(
                status,
                json!({ "code": "INJECTED", "message": format!("{status}: injected fault") }),
            ),
        })
    }
}

#[derive(Default)]
pub(crate) struct Faults(Vec<Fault>);

impl Faults {
    pub(crate) fn add(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    /// Requests that faults still wait for.
    pub(crate) fn left(&self) -> u64 {
        self.0.iter().map(|fault| fault.count.unwrap_or(1)).sum()
    }

    /// Removes all faults, or those of one guild.
    pub(crate) fn clear(&mut self, guild: Option<GuildId>) {
        self.0.retain(|fault| guild.is_some() && fault.guild_id != guild);
    }

    /// The oldest matching fault for this route and guild, with its count reduced by one.
    pub(crate) fn take(&mut self, route: &str, guild: Option<GuildId>) -> Option<Fault> {
        let meets = |fault: &Fault| {
            (fault.route == route || fault.route == ANY_ROUTE)
                && (fault.guild_id.is_none() || fault.guild_id == guild)
        };
        let index = self.0.iter().position(meets)?;
        let fault = self.0.get_mut(index)?;
        let left = fault.count.unwrap_or(1) - 1;
        if left == 0 {
            return Some(self.0.remove(index));
        }
        fault.count = Some(left);
        Some(fault.clone())
    }
}
