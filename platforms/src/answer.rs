//! Parses the rate limit headers and the body of a 429.

use std::time::Duration;

use chrono::DateTime;
use entities::Timestamp;
use reqwest::header::HeaderMap;
use serde::Deserialize;

use crate::pacing::answered::{Answered, Bucket, Pause};
use crate::pacing::numbers::micros;

/// The pause of a 429 without a retry time.
const UNSTATED_PAUSE: Duration = Duration::from_secs(1);
/// Longest plausible pause; a larger number is a mistake.
const LONGEST_PAUSE: Duration = Duration::from_hours(1);

#[derive(Deserialize, Default)]
struct LimitBody {
    retry_after: Option<f64>,
    #[serde(default)]
    global: bool,
}

/// The pacing's data from a response, and the pause of a 429.
pub(crate) fn read(status: u16, headers: &HeaderMap, body: &[u8]) -> (Answered, Option<Duration>) {
    let mut answered = Answered { heard: true, bucket: bucket(headers), ..Answered::default() };
    if status != 429 {
        answered.invalid = matches!(status, 401 | 403);
        return (answered, None);
    }
    let said: LimitBody = serde_json::from_slice(body).unwrap_or_default();
    let scope = text(headers, "x-ratelimit-scope");
    // Without a named bucket the pause applies to the whole key (game platform) or the whole address.
    let unscoped = scope.is_none() && answered.bucket.is_none();
    let global =
        said.global || scope == Some("global") || headers.contains_key("x-ratelimit-global") || unscoped;
    // The header has whole seconds, the body fractions: the longer one applies.
    let retry_after =
        [said.retry_after, number(headers, "retry-after")].into_iter().flatten().filter_map(seconds);
    let wait =
        retry_after.max().or_else(|| reset_seconds(headers).and_then(seconds)).unwrap_or(UNSTATED_PAUSE);
    answered.pause = Some(Pause { global, wait: micros(wait) });
    // A limit shared with other bots does not count towards the address ban.
    answered.invalid = scope != Some("shared");
    (answered, Some(wait))
}

/// When the platform sent the answer, in whole seconds.
pub(crate) fn time(headers: &HeaderMap) -> Option<Timestamp> {
    DateTime::parse_from_rfc2822(text(headers, "date")?).ok().map(|at| at.to_utc())
}

/// When the game platform's whole quota is back, for a 429 without details. The chat platform's header of that name is
/// a date, and far above any pause.
fn reset_seconds(headers: &HeaderMap) -> Option<f64> {
    number(headers, "x-ratelimit-reset").filter(|reset| *reset <= LONGEST_PAUSE.as_secs_f64())
}

fn bucket(headers: &HeaderMap) -> Option<Bucket> {
    let whole = |name| text(headers, name)?.parse::<u32>().ok();
    Some(Bucket {
        id: text(headers, "x-ratelimit-bucket")?.chars().filter(char::is_ascii_graphic).take(64).collect(),
        limit: whole("x-ratelimit-limit")?,
        remaining: whole("x-ratelimit-remaining")?,
        reset_after: micros(seconds(number(headers, "x-ratelimit-reset-after")?)?),
    })
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn number(headers: &HeaderMap, name: &str) -> Option<f64> {
    text(headers, name)?.trim().parse().ok()
}

/// Negative, infinite and absurd numbers are not used as pauses.
fn seconds(value: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(value).ok().map(|wait| wait.min(LONGEST_PAUSE))
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let header = |&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value));
        pairs.iter().map(header).collect()
    }

    #[test]
    fn buckets_come_from_headers() {
        let map = headers(&[
            ("x-ratelimit-bucket", "abcd"),
            ("x-ratelimit-limit", "5"),
            ("x-ratelimit-remaining", "4"),
            ("x-ratelimit-reset-after", "1.5"),
        ]);
        let (answered, wait) = read(200, &map, b"");
        let bucket = Bucket { id: "abcd".into(), limit: 5, remaining: 4, reset_after: 1_500_000 };
        assert_eq!(answered.bucket, Some(bucket));
        assert!(!answered.invalid && wait.is_none());
        assert_eq!(read(200, &HeaderMap::new(), b"").0.bucket, None);
    }

    #[test]
    fn the_time_is_that_of_the_head() {
        let at = |text| time(&headers(&[("date", text)])).map(|at| at.timestamp());
        assert_eq!(at("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!((at("soon"), time(&HeaderMap::new())), (None, None));
    }

    #[test]
    fn a_429_pauses_its_scope_for_the_longer_time() {
        let body = br#"{"message":"x","retry_after":0.35,"global":false}"#;
        let (answered, wait) =
            read(429, &headers(&[("retry-after", "1"), ("x-ratelimit-scope", "user")]), body);
        assert_eq!(answered.pause, Some(Pause { global: false, wait: 1_000_000 }));
        assert_eq!(wait, Some(Duration::from_secs(1)));
        assert!(answered.invalid);
        let (answered, _) = read(429, &headers(&[("x-ratelimit-global", "true")]), body);
        assert_eq!(answered.pause, Some(Pause { global: true, wait: 350_000 }));
        let (answered, _) = read(429, &headers(&[("x-ratelimit-scope", "shared")]), body);
        assert!(!answered.invalid);
        let (answered, _) = read(429, &headers(&[("x-ratelimit-reset", "40")]), b"");
        assert_eq!(answered.pause, Some(Pause { global: true, wait: 40_000_000 }));
        let (answered, _) = read(429, &headers(&[("x-ratelimit-reset", "1700000000.5")]), b"");
        assert_eq!(answered.pause, Some(Pause { global: true, wait: 1_000_000 }));
    }

    #[test]
    fn implausible_pauses_are_replaced() {
        for bad in ["-5", "NaN", "inf", "soon", ""] {
            let (_, wait) = read(429, &headers(&[("retry-after", bad)]), b"<html>");
            assert_eq!(wait, Some(UNSTATED_PAUSE), "{bad}");
        }
        let (_, wait) = read(429, &headers(&[("retry-after", "1e300")]), b"");
        assert!(wait <= Some(LONGEST_PAUSE));
    }

    #[test]
    fn refusals_count_as_invalid() {
        for (status, invalid) in [(401, true), (403, true), (404, false), (400, false), (500, false)] {
            assert_eq!(read(status, &HeaderMap::new(), b"").0.invalid, invalid, "{status}");
        }
    }
}
