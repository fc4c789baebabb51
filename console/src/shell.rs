//! The frame of every page: navigation, who is signed in, what the last form did.

use crate::assets;
use crate::cookies::Said;
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

const ENTRIES: [Entry; 2] = [
    entry(Place::Overview, "Overview", "", Needs::Staff),
    entry(Place::Bindings, "Bindings", "/bindings", Needs::Permission("bindings.read")),
];

/// The entries after this line are about the guild's own administration.
fn is_administration(place: Place) -> bool {
    matches!(place, Place::Keys | Place::Settings)
}

pub(crate) struct NavEntry {
    pub(crate) label: &'static str,
    pub(crate) url: String,
    pub(crate) current: bool,
    /// The first one below the line.
    pub(crate) after_line: bool,
}

pub(crate) struct Shell {
    pub(crate) title: String,
    pub(crate) style: String,
    pub(crate) script: String,
    /// `None`: nobody is signed in.
    pub(crate) user: Option<User>,
    pub(crate) guild: Option<GuildHead>,
    pub(crate) said: Option<Said>,
}

pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) form_token: String,
    pub(crate) operator: bool,
}

pub(crate) struct GuildHead {
    pub(crate) id: String,
    pub(crate) name: String,
    /// The person's position in it.
    pub(crate) position: String,
    pub(crate) entries: Vec<NavEntry>,
}

impl Shell {
    /// For pages without a person.
    pub(crate) fn bare(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            style: assets::url("console.css"),
            script: assets::url("console.js"),
            user: None,
            guild: None,
            said: None,
        }
    }

    pub(crate) fn new(title: &str, visit: &Visit, guild: Option<(&GuildVisit, Place)>) -> Self {
        let row = &visit.session.row;
        let user = User {
            name: row.user_name.clone(),
            form_token: visit.session.form_token(),
            operator: row.operator,
        };
        let guild = guild.map(|(guild, place)| GuildHead::new(guild, place));
        Self { user: Some(user), guild, said: visit.said.clone(), ..Self::bare(title) }
    }

    /// What every form of a signed-in person carries.
    pub(crate) fn form_token(&self) -> &str {
        self.user.as_ref().map_or("", |user| &user.form_token)
    }
}

impl GuildHead {
    fn new(visit: &GuildVisit, current: Place) -> Self {
        let shown = ENTRIES.iter().filter(|entry| visit.rights.may(entry.needs));
        let mut line = false;
        let entries = shown.map(|entry| {
            let after_line = !line && is_administration(entry.place);
            line |= after_line;
            NavEntry {
                label: entry.label,
                url: visit.url(entry.page),
                current: entry.place == current,
                after_line,
            }
        });
        Self {
            id: visit.guild.guild_id.to_string(),
            name: visit.guild.name.clone(),
            position: visit.rights.title().to_owned(),
            entries: entries.collect(),
        }
    }
}
