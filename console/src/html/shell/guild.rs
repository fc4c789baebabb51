//! The navigation of a guild.

use people::Needs;

use super::rail::{NavEntry, icon_of};
use crate::visit::GuildVisit;

/// An entry of a guild's navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Overview,
    Members,
    Bindings,
    Sync,
    Moderation,
    Shield,
    Staff,
    Servers,
    Applications,
    Audit,
    Jobs,
    Keys,
    Webhooks,
    LogChannels,
    Settings,
}

struct Entry {
    place: Place,
    label: &'static str,
    /// Below the guild.
    page: &'static str,
    needs: Needs,
}

const fn entry(place: Place, label: &'static str, page: &'static str, needs: Needs) -> Entry {
    Entry { place, label, page, needs }
}

const ENTRIES: [Entry; 15] = [
    entry(Place::Overview, "Overview", "", Needs::Staff),
    entry(Place::Members, "Members", "/members", Needs::Permission("lookup.read")),
    entry(Place::Bindings, "Bindings", "/bindings", Needs::Permission("bindings.read")),
    entry(Place::Sync, "Sync", "/sync", Needs::Permission("sync.write")),
    entry(Place::Moderation, "Moderation", "/moderation", Needs::Permission("moderation.read")),
    entry(Place::Shield, "Shield", "/shield", Needs::Permission("shield.read")),
    entry(Place::Staff, "Staff", "/staff", Needs::Staff),
    entry(Place::Servers, "Servers", "/servers", Needs::Permission("moderation.read")),
    entry(Place::Applications, "Applications", "/applications", Needs::Permission("tickets.write")),
    entry(Place::Audit, "Audit", "/audit", Needs::Permission("audit.read")),
    entry(Place::Jobs, "Jobs", "/jobs", Needs::Permission("sync.write")),
    entry(Place::Keys, "Keys", "/keys", Needs::Admin),
    entry(Place::Webhooks, "Webhooks", "/webhooks", Needs::Admin),
    entry(Place::LogChannels, "Log channels", "/log-channels", Needs::Admin),
    entry(Place::Settings, "Settings", "/settings", Needs::Permission("settings.read")),
];

/// The entries after this line are about the guild's own administration.
fn is_administration(place: Place) -> bool {
    matches!(place, Place::Keys | Place::Webhooks | Place::LogChannels | Place::Settings)
}

/// The entries that this person may see.
pub(crate) fn entries_of(visit: &GuildVisit, current: Option<Place>) -> Vec<NavEntry> {
    let shown = ENTRIES.iter().filter(|entry| visit.rights.may(entry.needs));
    let mut line = false;
    let entry = |entry: &Entry| {
        let after_line = !line && is_administration(entry.place);
        line |= after_line;
        NavEntry {
            label: entry.label,
            icon: icon_of(entry.page),
            url: visit.url(entry.page),
            current: Some(entry.place) == current,
            after_line,
        }
    };
    shown.map(entry).collect()
}
