//! The parts of the staff area, each with its own address.

use crate::visit::GuildVisit;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    Members,
    Leave,
    Strikes,
    Notes,
    Quotas,
    Pending,
    Leaderboard,
    Activity,
}

/// With the parts that only `staff.read` shows.
const TABS: [(Tab, &str, &str, bool); 8] = [
    (Tab::Members, "Members and roles", "/staff", false),
    (Tab::Leave, "Leave", "/staff/leave", false),
    (Tab::Strikes, "Strikes", "/staff/strikes", false),
    (Tab::Notes, "Notes", "/staff/notes", true),
    (Tab::Quotas, "Quotas", "/staff/quotas", false),
    (Tab::Pending, "Pending", "/staff/pending", true),
    (Tab::Leaderboard, "Leaderboard", "/staff/leaderboard", false),
    (Tab::Activity, "Activity", "/staff/activity", true),
];

pub(super) struct Link {
    pub(super) label: &'static str,
    pub(super) url: String,
    pub(super) current: bool,
}

pub(super) fn tabs(visit: &GuildVisit, current: Tab) -> Vec<Link> {
    let sees_all = super::sees_all(visit);
    let shown = TABS.iter().filter(|(.., reads)| sees_all || !reads);
    shown
        .map(|(tab, label, page, _)| Link { label, url: visit.url(page), current: *tab == current })
        .collect()
}
