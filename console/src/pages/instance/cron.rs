//! How often a schedule starts, in words. Six fields: second, minute, hour, day of month, month, day of week.

/// "every 5 minutes"; another form stays as it is.
pub(super) fn words(cron: &str) -> String {
    phrase(cron).unwrap_or_else(|| cron.to_owned())
}

fn phrase(cron: &str) -> Option<String> {
    let fields: Vec<_> = cron.split_whitespace().collect();
    let [seconds, minute, hour, "*", "*", "*"] = fields[..] else { return None };
    let seconds = seconds.split(',').map(|second| second.parse::<u8>().ok()).collect::<Option<Vec<_>>>()?;
    match (seconds.len(), minute, hour) {
        (1, "*", "*") => Some("every minute".to_owned()),
        (2, "*", "*") => Some("twice a minute".to_owned()),
        (1, every, "*") if every.starts_with("*/") => {
            Some(format!("every {} minutes", every.strip_prefix("*/")?.parse::<u8>().ok()?))
        }
        (1, minute, "*") => minute.parse::<u8>().ok().map(|_| "every hour".to_owned()),
        (1, minute, hour) => {
            let (minute, hour) = (minute.parse::<u8>().ok()?, hour.parse::<u8>().ok()?);
            Some(format!("every day at {hour:02}:{minute:02}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_our_schedules_have_words() {
        let phrase =
            ["5 * * * * *", "20,50 * * * * *", "0 */5 * * * *", "0 17 * * * *", "0 30 4 * * *"].map(words);
        assert_eq!(
            phrase,
            ["every minute", "twice a minute", "every 5 minutes", "every hour", "every day at 04:30"]
        );
        for schedule in jobs::schedules::SCHEDULES {
            assert_ne!(words(schedule.cron), schedule.cron, "{}", schedule.name);
        }
    }

    #[test]
    fn other_forms_are_shown_as_they_are() {
        for cron in ["0 0 0 1 * *", "0 */x * * * *", "*/10 * * * * *", "1,2,3 * * * * *", "0 0"] {
            assert_eq!(words(cron), cron);
        }
    }
}
