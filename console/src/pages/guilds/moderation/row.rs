//! A ban or mute as lists and its page show it.

use entities::{ChatId, Lifted, SanctionId, Subject, Timestamp, sanction};

use super::Kind;
use crate::pages::guilds::people::{People, Who};
use crate::visit::GuildVisit;
use crate::words::When;

pub(crate) struct Row {
    pub(crate) kind: Kind,
    pub(crate) id: SanctionId,
    pub(crate) url: String,
    pub(crate) who: Who,
    pub(crate) reason: String,
    /// `None`: every game.
    pub(crate) place: Option<String>,
    pub(crate) by: Who,
    pub(crate) created: When,
    /// `None`: for ever.
    pub(crate) expires: Option<When>,
    pub(crate) state: State,
    /// When it ended before its time.
    pub(crate) lifted: Option<When>,
    pub(crate) lifted_by: Option<Who>,
}

/// How it stands, with the word and its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Active,
    Lifted,
    Superseded,
    Expired,
}

impl State {
    fn of(row: &sanction::Model, now: Timestamp) -> Self {
        match row.lifted_how {
            _ if row.in_force(now) => Self::Active,
            Some(Lifted::Lifted) => Self::Lifted,
            Some(Lifted::Superseded) => Self::Superseded,
            Some(Lifted::Expired) | None => Self::Expired,
        }
    }

    pub(crate) fn is_active(self) -> bool {
        self == Self::Active
    }

    pub(crate) fn meaning(self) -> &'static str {
        if self.is_active() { "bad" } else { "quiet" }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Lifted => "lifted",
            Self::Superseded => "replaced",
            Self::Expired => "expired",
        }
    }
}

impl Row {
    pub(super) fn new(visit: &GuildVisit, people: &People, row: &sanction::Model) -> Self {
        let kind = Kind(row.kind);
        let chat = |chat: ChatId| people.who(visit, Subject::Chat(chat));
        let subject = row.subject().unwrap_or(Subject::Chat(row.moderator_id));
        Self {
            kind,
            id: row.sanction_id,
            url: visit.url(&kind.one(row.sanction_id)),
            who: people.who(visit, subject),
            reason: row.reason.clone(),
            place: row.place_id.map(|place| place.to_string()),
            by: chat(row.moderator_id),
            created: visit.when(row.created_at),
            expires: row.expires_at.map(|at| visit.when(at)),
            state: State::of(row, visit.now()),
            lifted: row.lifted_at.map(|at| visit.when(at)),
            lifted_by: row.lifted_by.map(chat),
        }
    }
}
