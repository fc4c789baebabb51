//! Ids that the chat platform makes while it runs: of messages, commands, interactions and direct channels. They hold
//! the time of their making, and grow.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The start of 2015, in milliseconds since 1970.
const EPOCH: u64 = 1_420_070_400_000;
/// Bits below the milliseconds.
const SEQUENCE_BITS: u32 = 22;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Snowflake(u64);

impl Snowflake {
    /// The next id after this one.
    pub(crate) fn next(self, now: SystemTime) -> Self {
        let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
        let millis = u64::try_from(since).unwrap_or_default().saturating_sub(EPOCH);
        Self((self.0 + 1).max(millis << SEQUENCE_BITS))
    }

    pub(crate) fn created(self) -> DateTime<Utc> {
        let millis = (self.0 >> SEQUENCE_BITS) + EPOCH;
        (SystemTime::UNIX_EPOCH + Duration::from_millis(millis)).into()
    }

    pub(crate) fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Snowflake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Snowflake {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self).map_err(|_| "must be a snowflake")
    }
}

impl TryFrom<String> for Snowflake {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Snowflake> for String {
    fn from(id: Snowflake) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_grow_and_hold_their_time() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let first = Snowflake::default().next(now);
        assert_eq!(first.created(), DateTime::<Utc>::from(now));
        let [second, third] = [first.next(now), first.next(now + Duration::from_millis(1))];
        assert!(first < second && second < third);
        assert_eq!(first.to_string().parse(), Ok(first));
    }
}
