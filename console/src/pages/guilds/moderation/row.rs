//! A ban or mute as lists and its page show it.

use entities::sanction::{self, MirrorState};
use entities::{ChatId, Lifted, SanctionId, Subject, Timestamp};

use super::Kind;
use crate::html::format::When;
use crate::pages::guilds::people::{People, Who};
use crate::visit::GuildVisit;

pub(crate) struct Row {
    pub(crate) kind: Kind,
    pub(crate) id: SanctionId,
    /// For people.
    pub(crate) number: i64,
    pub(crate) url: String,
    pub(crate) who: Who,
    pub(crate) reason: String,
    /// `None`: every game.
    pub(crate) place: Option<String>,
    pub(crate) by: Who,
    pub(crate) created: When,
    /// `None`: permanent.
    pub(crate) expires: Option<When>,
    pub(crate) state: State,
    /// `None`: it is active.
    pub(crate) ended: Option<When>,
    /// Who ended it before its time.
    pub(crate) ended_by: Option<Who>,
    /// Why; empty: nobody said.
    pub(crate) lift_reason: String,
    /// Guildhall has banned the person from Discord with it.
    pub(crate) keeps_away: bool,
    /// How Discord differs from it, in a few words.
    pub(crate) mirror_problem: Option<&'static str>,
}

/// Its state, with the word and its meaning.
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

    /// The prefix of the text of its end.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Active => "Active",
            Self::Lifted => "Lifted",
            Self::Superseded => "Replaced",
            Self::Expired => "Expired",
        }
    }

    /// A row that had expired before it was closed ended when it expired, whoever closed it.
    fn end(self, row: &sanction::Model) -> (Option<Timestamp>, Option<ChatId>) {
        match self {
            Self::Active => (None, None),
            Self::Expired => (row.expires_at, None),
            Self::Lifted | Self::Superseded => (row.lifted_at, row.lifted_by),
        }
    }

    fn mirror_problem(self, row: &sanction::Model) -> Option<&'static str> {
        match self {
            Self::Active if row.mirror_state == MirrorState::Held => Some("waits to go to Discord"),
            _ if row.mirror_state != MirrorState::Failed => None,
            Self::Active => Some("not banned on Discord"),
            // The newer one decides.
            Self::Superseded => None,
            Self::Lifted | Self::Expired => Some("still banned on Discord"),
        }
    }
}

impl Row {
    pub(super) fn new(visit: &GuildVisit, people: &People, row: &sanction::Model) -> Self {
        let kind = Kind(row.kind);
        let chat = |chat: ChatId| people.who(visit, Subject::Chat(chat));
        let subject = row.subject().unwrap_or(Subject::Chat(row.moderator_id));
        let state = State::of(row, visit.now());
        let (ended, ended_by) = state.end(row);
        Self {
            kind,
            id: row.sanction_id,
            number: row.number,
            lift_reason: row.lift_reason.clone().unwrap_or_default(),
            url: visit.url(&kind.one(row.sanction_id)),
            who: people.who(visit, subject),
            reason: row.reason.clone(),
            place: row.place_id.map(|place| place.to_string()),
            by: chat(row.moderator_id),
            created: visit.when(row.created_at),
            expires: row.expires_at.map(|at| visit.when(at)),
            state,
            ended: ended.map(|at| visit.when(at)),
            ended_by: ended_by.map(chat),
            keeps_away: state.is_active() && row.mirror_state == MirrorState::Done,
            mirror_problem: state.mirror_problem(row),
        }
    }
}
