//! What the search finds, in groups.

use crate::pages::guilds::people::Who;

/// The order of the groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    Members,
    Staff,
    Moderation,
    Servers,
    Jobs,
    Pages,
    Settings,
}

impl Group {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Members => "Members",
            Self::Staff => "Staff",
            Self::Moderation => "Bans and mutes",
            Self::Servers => "Game servers",
            Self::Jobs => "Jobs",
            Self::Pages => "Pages",
            Self::Settings => "Settings",
        }
    }
}

pub(crate) struct Found {
    pub(super) group: Group,
    pub(crate) name: String,
    pub(crate) url: String,
    /// What it is, or more about it.
    pub(crate) about: String,
    /// Of a member or staff member.
    pub(crate) who: Option<Who>,
    pub(crate) is_banned: bool,
    /// The input names exactly this.
    pub(super) exact: bool,
}

impl Found {
    pub(super) fn new(group: Group, name: &str, url: String, exact: bool) -> Self {
        Self { group, name: name.to_owned(), url, about: String::new(), who: None, is_banned: false, exact }
    }

    pub(super) fn about(self, about: impl Into<String>) -> Self {
        Self { about: about.into(), ..self }
    }

    pub(super) fn of(self, who: Who) -> Self {
        Self { who: Some(who), ..self }
    }
}

/// Whether a name has the typed text in it; exactly: whether it is the name.
pub(super) fn matches(name: &str, typed: &str) -> (bool, bool) {
    let (name, typed) = (name.to_lowercase(), typed.to_lowercase());
    (name.contains(&typed), name == typed)
}
