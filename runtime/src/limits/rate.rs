//! A rate, what it counts, and the result of a request against it.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

/// `limit` requests in each window of `window` (at least a millisecond).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub limit: u32,
    pub window: Duration,
}

impl Rate {
    pub const fn per(limit: u32, window: Duration) -> Self {
        Self { limit, window }
    }

    /// What each of several processes may admit by itself: 0 only if the rate is.
    pub(super) fn share(self, processes: u32) -> u32 {
        (self.limit / processes).max(1.min(self.limit))
    }
}

/// The owner of the counted requests. Its text is part of the name of the window in Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counter {
    /// Requests of a key under one of its limits.
    Key(i64, &'static str),
    /// The same of a person at the console.
    Person(i64, &'static str),
    /// Failures of an address.
    Failures(IpAddr),
    /// Sign-ins of an address that ask the chat platform.
    SignIns(IpAddr),
    /// Those of one attempt, by its hash.
    Attempt(u64),
    /// Codes that a player of a guild typed wrongly.
    LinkCodes(i64, i64),
    /// An interaction of the chat platform, by its number.
    Interaction(u64),
    /// Calls of this name by people who are not signed in, all together.
    Strangers(&'static str),
}

/// A customer with IPv6 has a whole /64: addresses are counted by it.
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(id, limit) => write!(f, "key:{id}:{limit}"),
            Self::Person(id, limit) => write!(f, "person:{id}:{limit}"),
            Self::LinkCodes(guild, player) => write!(f, "link-codes:{guild}:{player}"),
            Self::Failures(address) => write!(f, "failed-keys:{address}"),
            Self::SignIns(address) => write!(f, "sign-ins:{address}"),
            Self::Attempt(hash) => write!(f, "attempt:{hash}"),
            Self::Interaction(id) => write!(f, "interaction:{id}"),
            Self::Strangers(name) => write!(f, "strangers:{name}"),
        }
    }
}

impl Counter {
    /// The counter with this text; its limit is one of `names`.
    pub(super) fn parse(text: &str, names: &[&'static str]) -> Option<Self> {
        let (kind, rest) = text.split_once(':')?;
        let named = |name: &str| names.iter().find(|known| **known == name).copied();
        match kind {
            "failed-keys" => return rest.parse().ok().map(Self::Failures),
            "sign-ins" => return rest.parse().ok().map(Self::SignIns),
            "attempt" => return rest.parse().ok().map(Self::Attempt),
            "strangers" => return named(rest).map(Self::Strangers),
            "link-codes" => {
                let (guild, player) = rest.split_once(':')?;
                return Some(Self::LinkCodes(guild.parse().ok()?, player.parse().ok()?));
            }
            _ => {}
        }
        let (id, name) = rest.split_once(':')?;
        let (id, name) = (id.parse().ok()?, named(name)?);
        match kind {
            "key" => Some(Self::Key(id, name)),
            "person" => Some(Self::Person(id, name)),
            _ => None,
        }
    }

    /// The name of the limit, if it is not that of the kind.
    pub(super) fn name(&self) -> Option<&'static str> {
        match self {
            Self::Key(_, name) | Self::Person(_, name) | Self::Strangers(name) => Some(name),
            Self::Failures(_)
            | Self::SignIns(_)
            | Self::Attempt(_)
            | Self::LinkCodes(..)
            | Self::Interaction(_) => None,
        }
    }
}

/// The result of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    pub allowed: bool,
    pub limit: u32,
    /// As known to this process: others may have used some of it since.
    pub remaining: u32,
    /// Until the window ends.
    pub reset_after: Duration,
}

impl Decision {
    /// Of a window that would open now.
    pub(super) fn unused(rate: Rate) -> Self {
        let Rate { limit, window } = rate;
        Self { allowed: limit > 0, limit, remaining: limit, reset_after: window }
    }

    /// Value of `Retry-After`: whole seconds, rounded up, at least 1.
    pub fn reset_after_secs(&self) -> u64 {
        let round_up = u64::from(self.reset_after.subsec_nanos() > 0);
        (self.reset_after.as_secs() + round_up).max(1)
    }
}

/// Redis, which counts for all processes, is unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rate limit cannot be counted: redis is not reachable")]
pub struct LimitsDown;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_a_process_is_zero_only_if_the_quota_is() {
        for (limit, expected) in [(60, 15), (7, 1), (3, 1), (1, 1), (0, 0)] {
            assert_eq!(Rate::per(limit, Duration::from_secs(1)).share(4), expected);
        }
    }

    #[test]
    fn each_counter_is_read_from_its_text() {
        let addresses = ["192.0.2.1".parse().unwrap(), "2001:db8::1".parse().unwrap()];
        let counters = [
            Counter::Key(7, "ban_status"),
            Counter::Person(9, "staff_write"),
            Counter::Attempt(u64::MAX),
            Counter::Strangers("sign_in"),
        ];
        let by_address = addresses.map(Counter::Failures).into_iter().chain(addresses.map(Counter::SignIns));
        for counter in counters.into_iter().chain(by_address) {
            let text = counter.to_string();
            let names = ["ban_status", "staff_write", "sign_in"];
            assert_eq!(Counter::parse(&text, &names), Some(counter), "{text}");
        }
        for other in ["", "key:7", "key:x:ban_status", "key:7:unknown", "guild:7:ban_status"] {
            assert_eq!(Counter::parse(other, &["ban_status"]), None, "{other}");
        }
    }

    #[test]
    fn addresses_of_one_v6_network_count_as_one() {
        let same = ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::1"].map(|text| network_of(text.parse().unwrap()));
        assert_eq!(same[0], same[1]);
        assert_ne!(same[0], network_of("2001:db8:1:3::1".parse().unwrap()));
        assert_eq!(network_of("::ffff:10.0.0.1".parse().unwrap()), "10.0.0.1".parse::<IpAddr>().unwrap());
    }

    #[test]
    fn retry_after_is_rounded_up_and_at_least_one() {
        for (millis, seconds) in
            [(0, 1), (1, 1), (999, 1), (1_000, 1), (1_001, 2), (59_999, 60), (60_000, 60)]
        {
            let reset_after = Duration::from_millis(millis);
            let decision = Decision { allowed: false, limit: 1, remaining: 0, reset_after };
            assert_eq!(decision.reset_after_secs(), seconds, "{millis} ms");
        }
    }
}
