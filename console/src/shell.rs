//! The frame of every page: navigation, the signed-in person, the flash of the last form.

pub(crate) mod instance;

use entities::Timestamp;

use crate::assets;
use crate::cookies::Flash;
use crate::rights::Needs;
use crate::visit::{GuildVisit, Visit};

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

const ENTRIES: [Entry; 13] = [
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
    entry(Place::Settings, "Settings", "/settings", Needs::Permission("settings.read")),
];

/// The entries after this line are about the guild's own administration.
fn is_administration(place: Place) -> bool {
    matches!(place, Place::Keys | Place::Settings)
}

pub(crate) struct NavEntry {
    pub(crate) label: &'static str,
    /// In `icons.html`.
    pub(crate) icon: &'static str,
    pub(crate) url: String,
    pub(crate) current: bool,
    /// The first one below the line.
    pub(crate) after_line: bool,
}

pub(crate) struct Shell {
    pub(crate) title: String,
    pub(crate) style: String,
    pub(crate) script: String,
    pub(crate) icon: String,
    /// `None`: you are not signed in.
    pub(crate) user: Option<User>,
    pub(crate) guild: Option<GuildHead>,
    pub(crate) rail: Option<Rail>,
    pub(crate) flash: Option<Flash>,
    /// For scripts: how long ago something was depends on our clock, not the browser's.
    pub(crate) now: Option<Timestamp>,
    /// The query of the first part of the list, where the address asks for a later one.
    pub(crate) start: Option<String>,
}

/// The navigation beside a page: of a guild, or of the instance.
pub(crate) struct Rail {
    pub(crate) label: &'static str,
    pub(crate) entries: Vec<NavEntry>,
}

pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) form_token: String,
    pub(crate) operator: bool,
    /// The session is from a link, for one guild.
    pub(crate) one_guild: bool,
}

pub(crate) struct GuildHead {
    pub(crate) id: String,
    pub(crate) name: String,
    /// The person's position in it.
    pub(crate) position: String,
}

impl Shell {
    /// For pages without a person.
    pub(crate) fn bare(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            style: assets::url("console.css"),
            script: assets::url("console.js"),
            icon: assets::url("mark.svg"),
            user: None,
            guild: None,
            rail: None,
            flash: None,
            now: None,
            start: None,
        }
    }

    pub(crate) fn new(title: &str, visit: &Visit, guild: Option<(&GuildVisit, Option<Place>)>) -> Self {
        let row = &visit.session.row;
        let user = User {
            name: row.user_name.clone(),
            form_token: visit.session.form_token(),
            operator: row.operator,
            one_guild: row.guild_id.is_some(),
        };
        let operator = row.operator.then(instance::entry);
        let rail = guild.map(|(guild, place)| Rail {
            label: "Server",
            entries: entries_of(guild, place).into_iter().chain(operator).collect(),
        });
        let guild = guild.map(|(guild, _)| GuildHead::new(guild));
        let (flash, now, start) =
            (visit.flash.clone(), Some(visit.now()), visit.query.start().map(|start| start.with("", "")));
        Self { user: Some(user), guild, rail, flash, now, start, ..Self::bare(title) }
    }

    /// The current guild, if the person may switch to another.
    pub(crate) fn switchable(&self) -> Option<&GuildHead> {
        let user = self.user.as_ref()?;
        self.guild.as_ref().filter(|_| !user.one_guild)
    }

    /// The fields of every form of a signed-in person.
    pub(crate) fn form_token(&self) -> &str {
        self.user.as_ref().map_or("", |user| &user.form_token)
    }
}

/// Icons are named as the pages.
fn icon_of(page: &'static str) -> &'static str {
    page.strip_prefix('/').unwrap_or("overview")
}

/// The entries that this person may see.
fn entries_of(visit: &GuildVisit, current: Option<Place>) -> Vec<NavEntry> {
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

impl GuildHead {
    fn new(visit: &GuildVisit) -> Self {
        Self {
            id: visit.guild.guild_id.to_string(),
            name: visit.guild.name.clone(),
            position: visit.rights.title().to_owned(),
        }
    }
}
