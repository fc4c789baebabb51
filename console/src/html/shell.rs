//! The frame of every page: navigation, the signed-in person, the flash of the last form.

mod guild;
pub(crate) mod instance;
mod parts;
mod rail;

use entities::Timestamp;
use http::HeaderMap;

use crate::html::format::initials;
use crate::html::theme::Theme;
use crate::response::{Flash, assets};
use crate::visit::{GuildVisit, Visit};
pub(crate) use guild::{Place, entries_of};
use instance::InstancePlace;
use rail::Rail;

pub(crate) struct Shell {
    pub(crate) title: String,
    pub(crate) style: String,
    pub(crate) script: String,
    pub(crate) icon: String,
    pub(crate) font: String,
    pub(crate) theme: Theme,
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
    pub(crate) accent: &'static str,
    /// The person's position in it.
    pub(crate) position: String,
}

impl Shell {
    /// For pages without a person.
    pub(crate) fn bare(title: &str, headers: &HeaderMap) -> Self {
        Self {
            title: title.to_owned(),
            style: assets::url("console.css"),
            script: assets::url("console.js"),
            icon: assets::url("mark.svg"),
            font: assets::url("inter-latin.woff2"),
            theme: Theme::of(headers),
            user: None,
            guild: None,
            rail: None,
            flash: None,
            now: None,
            start: None,
        }
    }

    fn new(title: &str, visit: &Visit, guild: Option<(&GuildVisit, Option<Place>)>) -> Self {
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
        Self { user: Some(user), guild, rail, flash, now, start, ..Self::bare(title, visit.headers()) }
    }

    /// A page of the instance, below an entry of its navigation.
    pub(crate) fn of_instance(title: &str, visit: &Visit, place: impl Into<Option<InstancePlace>>) -> Self {
        Self { rail: Some(instance::rail(place.into())), ..Self::new(title, visit, None) }
    }

    /// The title in the header outside of guilds.
    pub(crate) fn area(&self) -> Option<&'static str> {
        let rail = self.rail.as_ref().filter(|_| self.guild.is_none());
        rail.map(|rail| rail.label)
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

impl Visit {
    pub(crate) fn shell(&self, title: &str) -> Shell {
        Shell::new(title, self, None)
    }
}

impl GuildVisit {
    /// The frame of a page below an entry of the navigation.
    pub(crate) fn shell(&self, title: &str, place: impl Into<Option<Place>>) -> Shell {
        Shell::new(title, self, Some((self, place.into())))
    }
}

impl GuildHead {
    pub(crate) fn initials(&self) -> String {
        initials(&self.name)
    }

    fn new(visit: &GuildVisit) -> Self {
        Self {
            id: visit.guild.guild_id.to_string(),
            name: visit.guild.name.clone(),
            accent: visit.guild.accent.name(),
            position: visit.rights.title().to_owned(),
        }
    }
}
