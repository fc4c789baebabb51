//! Injected faults: the next responses of a route are an error, oversized, late, or a combination.

use std::time::Duration;

use entities::GuildId;
use serde_json::json;

use crate::huge::Huge;
use crate::reply::Reply;
use crate::route::Side;

/// Applies to every platform route.
pub(crate) const ANY_ROUTE: &str = "*";

#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) route: String,
    /// Applies only to requests for this guild.
    pub(crate) guild: Option<GuildId>,
    /// Responds with this status instead of serving. `None` with only `hang`: late, but served.
    pub(crate) status: Option<u16>,
    pub(crate) hang: Option<Duration>,
    /// Responds with this body, and with 200 if no status is given.
    pub(crate) huge: Option<Huge>,
    /// The request takes effect first: only its response is late, lost or an error.
    pub(crate) served: bool,
    /// Remaining requests.
    pub(crate) count: u64,
    /// Seconds, for a 429.
    pub(crate) retry_after: f64,
    pub(crate) global: bool,
    /// The chat platform's code in the body, if it differs from the status's default.
    pub(crate) code: Option<i64>,
}

impl Fault {
    pub(crate) fn reply(&self, side: Side) -> Option<Reply> {
        if let Some(huge) = self.huge {
            return Some(Reply::huge(self.status.unwrap_or(200), huge));
        }
        let status = self.status?;
        if let (Some(code), Side::Chat) = (self.code, side) {
            return Some(Reply::chat_error(status, code, &format!("{status}: injected fault")));
        }
        Some(match (status, side) {
            (401, Side::Chat) => Reply::chat_unauthorized(),
            (401, _) => Reply::play_unauthorized(),
            (429, Side::Chat) => Reply::chat_limited(self.retry_after, self.global),
            (429, _) => Reply::play_limited(self.retry_after),
            (403, Side::Chat) => Reply::chat_error(403, 50013, "Missing Permissions"),
            (_, Side::Chat) => Reply::chat_error(status, 0, &format!("{status}: injected fault")),
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

    /// Removes all faults, or those of one guild.
    pub(crate) fn clear(&mut self, guild: Option<GuildId>) {
        self.0.retain(|fault| guild.is_some() && fault.guild != guild);
    }

    /// The oldest matching fault for this route and guild, with its count reduced by one.
    pub(crate) fn take(&mut self, route: &str, guild: Option<GuildId>) -> Option<Fault> {
        let meets = |fault: &Fault| {
            (fault.route == route || fault.route == ANY_ROUTE)
                && (fault.guild.is_none() || fault.guild == guild)
        };
        let index = self.0.iter().position(meets)?;
        let fault = self.0.get_mut(index)?;
        fault.count -= 1;
        let taken = fault.clone();
        if fault.count == 0 {
            self.0.remove(index);
        }
        Some(taken)
    }
}
