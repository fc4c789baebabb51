//! A time in a request: RFC 3339 with any offset, kept in whole seconds as in responses (docs/rules.md 8). An end is
//! rounded up, so that nothing lasts shorter than requested.

use std::borrow::Cow;

use chrono::DateTime;
use entities::Timestamp;
use serde_json::Value;

use crate::request::parts::Field;
use crate::response::rows::whole_second_from;
use crate::schema::example::FAR_END;
use crate::schema::shape::{self, Shape};

/// From 1970 to the last second with a four-digit year.
const LAST: i64 = 253_402_300_799;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment(pub(crate) Timestamp);

impl Field for Moment {
    fn allowed() -> Cow<'static, str> {
        "an RFC 3339 time of the years 1970 to 9999 such as \"2026-04-12T18:33:21Z\"".into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let moment = parsed(sent)?;
        Timestamp::from_timestamp(moment.timestamp(), 0).map(Self)
    }

    fn shape() -> Shape {
        shape::moment_sent()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End(pub(crate) Timestamp);

impl Field for End {
    fn allowed() -> Cow<'static, str> {
        Moment::allowed()
    }

    fn read(sent: &Value) -> Option<Self> {
        parsed(sent).map(whole_second_from).filter(|end| end.timestamp() <= LAST).map(Self)
    }

    fn shape() -> Shape {
        shape::moment_sent().example(FAR_END)
    }
}

fn parsed(sent: &Value) -> Option<Timestamp> {
    let moment = DateTime::parse_from_rfc3339(sent.as_str()?).ok()?.to_utc();
    (0..=LAST).contains(&moment.timestamp()).then_some(moment)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn any_offset_is_read_and_fractions_are_cut() {
        let expected: Timestamp = "2026-04-12T18:33:21Z".parse().unwrap();
        for text in ["2026-04-12T18:33:21Z", "2026-04-12T20:33:21.987+02:00", "2026-04-12t18:33:21z"] {
            assert_eq!(Moment::read(&json!(text)), Some(Moment(expected)), "{text}");
        }
    }

    #[test]
    fn an_end_is_rounded_up() {
        let expected: Timestamp = "2026-04-12T18:33:22Z".parse().unwrap();
        for text in ["2026-04-12T18:33:22Z", "2026-04-12T20:33:21.001+02:00"] {
            assert_eq!(End::read(&json!(text)), Some(End(expected)), "{text}");
        }
        assert!(End::read(&json!("9999-12-31T23:59:59Z")).is_some());
        assert!(End::read(&json!("9999-12-31T23:59:59.5Z")).is_none());
    }

    #[test]
    fn malformed_times_and_years_beyond_four_digits_are_refused() {
        for bad in [
            json!("2026-04-12"),
            json!("2026-04-12T18:33:21"),
            json!("2026-02-30T00:00:00Z"),
            json!("1969-12-31T23:59:59Z"),
            json!("9999-12-31T23:59:59-01:00"),
            json!("tomorrow"),
            json!(""),
            json!(1_776_018_801),
            json!(null),
        ] {
            assert_eq!(Moment::read(&bad), None, "{bad}");
        }
        assert!(Moment::read(&json!("9999-12-31T23:59:59Z")).is_some());
    }
}
