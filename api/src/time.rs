//! Timestamps as they leave: UTC, whole seconds, `Z` (decisions 8).

use chrono::SecondsFormat;
use entities::Timestamp;
use serde::{Serialize, Serializer};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seconds(pub(crate) Timestamp);

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_rfc3339_opts(SecondsFormat::Secs, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_cut_and_the_zone_is_z() {
        let time =
            "2026-01-02T03:04:05.987654+02:00".parse::<chrono::DateTime<chrono::FixedOffset>>().unwrap();
        assert_eq!(serde_json::to_string(&Seconds(time.to_utc())).unwrap(), r#""2026-01-02T01:04:05Z""#);
    }
}
