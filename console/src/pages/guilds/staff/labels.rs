//! Labels of staff actions.

use entities::Subject;
use entities::quota::{Metric, Period};
use entities::staff_action::{ActionType, Model};

use crate::html::format::{Number, When};
use crate::pages::guilds::people::{People, Who};
use crate::visit::GuildVisit;

pub(in crate::pages::guilds) fn action(kind: ActionType) -> &'static str {
    match kind {
        ActionType::Ban => "Ban",
        ActionType::Unban => "Unban",
        ActionType::Mute => "Mute",
        ActionType::Unmute => "Unmute",
        ActionType::Warn => "Warning",
        ActionType::Kick => "Kick",
        ActionType::Custom => "Other action",
    }
}

/// Value in forms, and the words.
pub(super) const METRICS: [(&str, &str); 9] = [
    ("ban", "Bans"),
    ("unban", "Unbans"),
    ("mute", "Mutes"),
    ("unmute", "Unmutes"),
    ("warn", "Warnings"),
    ("kick", "Kicks"),
    ("custom", "Other actions"),
    ("minutes", "Minutes on duty"),
    ("sessions", "Sessions on duty"),
];

pub(super) const PERIODS: [(&str, &str); 4] =
    [("day", "a day"), ("week", "a week"), ("month", "a month"), ("all", "in all")];

pub(super) fn metric(metric: Metric) -> &'static str {
    let name: &str = metric.into();
    METRICS.iter().find(|(value, _)| *value == name).map_or(name, |(_, words)| words)
}

pub(super) fn period_value(period: Period) -> &'static str {
    match period {
        Period::Day => "day",
        Period::Week => "week",
        Period::Month => "month",
        Period::All => "all",
    }
}

pub(super) fn period(period: Period) -> &'static str {
    let value = period_value(period);
    PERIODS.iter().find(|(known, _)| *known == value).map_or(value, |(_, words)| words)
}

/// "2 h 5 min"
pub(super) fn minutes(minutes: i64) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{} h {minutes} min", Number(hours)),
    }
}

/// An action of a list.
pub(super) struct Action {
    pub(super) kind: &'static str,
    /// `None`: not an account.
    pub(super) target: Option<Who>,
    pub(super) target_text: String,
    pub(super) reason: String,
    pub(super) counts: bool,
    pub(super) when: When,
}

/// The account on which an action was done, if it is one.
pub(super) fn target(row: &Model) -> Option<Subject> {
    row.target_id.parse().ok()
}

pub(super) fn shown(visit: &GuildVisit, people: &People, row: &Model) -> Action {
    Action {
        kind: action(row.action_type),
        target: target(row).map(|subject| people.who(visit, subject)),
        target_text: row.target_id.clone(),
        reason: row.details["reason"].as_str().unwrap_or_default().to_owned(),
        counts: row.nth.is_some(),
        when: visit.when(row.created_at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_and_period_has_words() {
        use sea_orm::Iterable;

        assert!(Metric::iter().all(|one| metric(one) != <&str>::from(one)));
        assert!(Period::iter().all(|one| period(one) != period_value(one)));
        assert_eq!([5, 65, 60_000].map(minutes), ["5 min", "1 h 5 min", "1,000 h 0 min"]);
    }
}
