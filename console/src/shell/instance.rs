//! The frame of the operator's pages, below `/console/instance`.

use super::{NavEntry, Rail, Shell, icon_of};
use crate::visit::Visit;

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

impl Shell {
    /// A page of the instance, below an entry of its navigation.
    pub(crate) fn of_instance(title: &str, visit: &Visit, place: impl Into<Option<InstancePlace>>) -> Self {
        let place = place.into();
        let entry = |&(entry, label, page): &(InstancePlace, &'static str, &'static str)| NavEntry {
            label,
            icon: icon_of(page),
            url: format!("{ROOT}{page}"),
            current: Some(entry) == place,
            after_line: entry == InstancePlace::Guilds,
        };
        let rail = Rail { label: "Instance", entries: ENTRIES.iter().map(entry).collect() };
        Self { rail: Some(rail), ..Self::new(title, visit, None) }
    }

    /// The title in the header outside of guilds.
    pub(crate) fn area(&self) -> Option<&'static str> {
        let rail = self.rail.as_ref().filter(|_| self.guild.is_none());
        rail.map(|rail| rail.label)
    }
}
