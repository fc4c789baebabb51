//! The navigation of the operator's pages, below `/console/instance`.

use super::rail::{NavEntry, Rail, icon_of};

pub(crate) const ROOT: &str = "/console/instance";

/// An entry of the instance's navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstancePlace {
    Overview,
    Queues,
    Jobs,
    Pauses,
    Schedules,
    Platforms,
    Limits,
    Guilds,
}

const ENTRIES: [(InstancePlace, &str, &str); 8] = [
    (InstancePlace::Overview, "Overview", ""),
    (InstancePlace::Queues, "Queues", "/queues"),
    (InstancePlace::Jobs, "Jobs", "/jobs"),
    (InstancePlace::Pauses, "Pauses", "/pauses"),
    (InstancePlace::Schedules, "Schedules", "/schedules"),
    (InstancePlace::Platforms, "Platforms", "/platforms"),
    (InstancePlace::Limits, "Caches and limits", "/limits"),
    (InstancePlace::Guilds, "Discord servers", "/guilds"),
];

/// For operators, in the navigation of a guild.
pub(super) fn entry() -> NavEntry {
    NavEntry {
        label: "Instance",
        icon: icon_of("/limits"),
        url: ROOT.to_owned(),
        current: false,
        after_line: true,
    }
}

/// The navigation of the instance's pages.
pub(super) fn rail(place: Option<InstancePlace>) -> Rail {
    let entry = |&(entry, label, page): &(InstancePlace, &'static str, &'static str)| NavEntry {
        label,
        icon: icon_of(page),
        url: format!("{ROOT}{page}"),
        current: Some(entry) == place,
        after_line: entry == InstancePlace::Guilds,
    };
    Rail { label: "Instance", entries: ENTRIES.iter().map(entry).collect() }
}
