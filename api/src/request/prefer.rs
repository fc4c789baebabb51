//! The `Prefer` header (RFC 7240): how long the client waits for a job's result.

use std::time::Duration;

use http::HeaderMap;

/// Default wait (docs/rules.md 5).
const DEFAULT: Duration = Duration::from_secs(5);
/// Maximum wait, in seconds.
const MAX_SECONDS: u64 = 30;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Prefer {
    respond_async: bool,
    wait: Option<u64>,
}

impl Prefer {
    /// Malformed and unknown preferences are ignored, as the RFC requires; of a repeated preference the first counts.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut prefer = Self::default();
        let values = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
        for preference in values.flat_map(|value| value.split(',')) {
            let preference = preference.split(';').next().unwrap_or_default().trim();
            let (name, value) = preference.split_once('=').unwrap_or((preference, ""));
            let (name, value) = (name.trim().to_ascii_lowercase(), value.trim().trim_matches('"'));
            match name.as_str() {
                "respond-async" if value.is_empty() => prefer.respond_async = true,
                "wait" if prefer.wait.is_none() => prefer.wait = seconds(value),
                _ => {}
            }
        }
        prefer
    }

    pub(crate) fn wait(self) -> Duration {
        self.wait_or(DEFAULT)
    }

    /// `default` applies without a preference. `wait` sets the time before the response may be asynchronous, so it
    /// takes precedence over `respond-async`.
    pub(crate) fn wait_or(self, default: Duration) -> Duration {
        match (self.wait, self.respond_async) {
            (Some(seconds), _) => Duration::from_secs(seconds),
            (None, true) => Duration::ZERO,
            (None, false) => default,
        }
    }

    /// The requested wait, which extends the request's own timeout.
    pub(crate) fn asked_wait(self) -> Duration {
        Duration::from_secs(self.wait.unwrap_or(0))
    }

    /// The header `Preference-Applied`.
    pub(crate) fn applied(self) -> Option<String> {
        match (self.wait, self.respond_async) {
            (Some(seconds), true) => Some(format!("respond-async, wait={seconds}")),
            (Some(seconds), false) => Some(format!("wait={seconds}")),
            (None, true) => Some("respond-async".to_owned()),
            (None, false) => None,
        }
    }
}

fn seconds(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    // A number that does not fit exceeds the maximum.
    digits.then(|| text.parse().unwrap_or(u64::MAX).min(MAX_SECONDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefer(values: &[&str]) -> Prefer {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("prefer", value.parse().unwrap());
        }
        Prefer::of(&headers)
    }

    #[test]
    fn the_wait_is_the_requested_one_within_bounds() {
        let cases: [(&[&str], u64); 9] = [
            (&[], 5),
            (&["respond-async"], 0),
            (&["Respond-Async; foo=1"], 0),
            (&["wait=12"], 12),
            (&["return=minimal, wait=\"7\""], 7),
            (&["wait=600"], 30),
            (&["wait=99999999999999999999"], 30),
            (&["respond-async, wait=3"], 3),
            (&["wait=2", "wait=9"], 2),
        ];
        for (values, seconds) in cases {
            assert_eq!(prefer(values).wait(), Duration::from_secs(seconds), "{values:?}");
        }
    }

    #[test]
    fn malformed_preferences_are_ignored() {
        for value in ["wait", "wait=", "wait=-1", "wait=1.5", "wait=x", "respond-async=1", ",,", "="] {
            assert_eq!(prefer(&[value]), Prefer::default(), "{value}");
            assert_eq!(prefer(&[value]).applied(), None);
        }
        assert_eq!(prefer(&["respond-async, wait=40"]).applied().as_deref(), Some("respond-async, wait=30"));
    }
}
