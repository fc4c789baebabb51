//! Durations as people write and read them: `90d` is parsed, `3 min` is printed.

use chrono::TimeDelta;

/// A longer duration is taken for a typing error.
const MAX_DAYS: i64 = 3_650;
const UNITS: [(char, i64); 5] = [('s', 1), ('m', 60), ('h', 3_600), ('d', 86_400), ('w', 604_800)];

/// Reads `90d`, `12h`, `30m`, `45s`, `2w`.
pub(crate) fn parse(text: &str) -> Result<TimeDelta, String> {
    let wrong = || format!("{text:?} is not a duration: give a number and s, m, h, d or w, such as 90d");
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?.1;
    let digits = &text[..text.len() - unit.len_utf8()];
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(wrong());
    }
    let duration =
        digits.parse::<i64>().ok().and_then(|n| n.checked_mul(seconds)).and_then(TimeDelta::try_seconds);
    match duration {
        Some(length) if length > TimeDelta::zero() && length <= TimeDelta::days(MAX_DAYS) => Ok(length),
        _ => Err(format!("{text:?} must be more than 0 and at most {MAX_DAYS}d")),
    }
}

/// One number and its unit, rounded down: `42 s`, `3 min`, `5 h`, `9 d`.
pub(crate) fn approximate(duration: TimeDelta) -> String {
    let seconds = duration.num_seconds().max(0);
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_a_number_and_a_unit() {
        for (text, seconds) in
            [("45s", 45), ("30m", 1_800), ("12h", 43_200), ("90d", 7_776_000), ("2w", 1_209_600)]
        {
            assert_eq!(parse(text), Ok(TimeDelta::seconds(seconds)), "{text}");
        }
        for bad in [
            "",
            "d",
            "90",
            "90 d",
            "-1d",
            "+1d",
            "1.5h",
            "0d",
            "3651d",
            "99999999999999999999d",
            "9é",
            "9223372036854775807w",
        ] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
        assert!(parse("3650d").is_ok());
    }

    #[test]
    fn a_printed_duration_is_one_number() {
        let texts: Vec<_> =
            [-5, 0, 119, 120, 7_200, 172_800].map(|s| approximate(TimeDelta::seconds(s))).into();
        assert_eq!(texts, ["0 s", "0 s", "119 s", "2 min", "2 h", "2 d"]);
    }
}
