//! What moderators want, and what became of it.

use chrono::SecondsFormat;
use entities::audit_entry::Actor;
use entities::{ChatId, Person, PlaceId, SanctionId, SanctionKind, Subject, Timestamp, sanction};
use serde_json::{Value, json};

/// Of a moderator.
#[derive(Debug, Clone)]
pub struct Order {
    pub kind: SanctionKind,
    pub subject: Subject,
    /// Whose account that is.
    pub person: Person,
    pub moderator: ChatId,
    /// Who sent it: entries name the moderator as the one who acts, and have the rest of this (docs/rules.md 6).
    pub sender: Actor,
    /// It follows what somebody did on the chat platform.
    pub done_on_chat: bool,
    /// It belongs to an import, or undoes one: that is no staff action.
    pub imported: Option<Imported>,
    pub wanted: Wanted,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Imported {
    /// When it was done where it comes from.
    pub done_at: Option<Timestamp>,
    /// The import names the moderator.
    pub by_line: bool,
}

#[derive(Debug, Clone)]
pub enum Wanted {
    Imposed {
        /// `None`: every game of the guild.
        place: Option<PlaceId>,
        reason: String,
        /// `None`: permanent.
        expires_at: Option<Timestamp>,
        kick: bool,
    },
    Lifted {
        /// `None`: those of every place.
        place: Option<PlaceId>,
        /// Leaves the others in force.
        only: Option<SanctionId>,
        reason: Option<String>,
    },
}

/// What became of an order.
#[derive(Debug)]
pub enum Done {
    Imposed {
        sanction: Box<sanction::Model>,
        /// Live game servers that got a command `kick`.
        kicks: usize,
    },
    Lifted {
        /// Those that were in force; there may be none.
        ids: Vec<SanctionId>,
        /// Another one is in force there.
        still: bool,
    },
}

impl Done {
    pub fn changed(&self) -> bool {
        match self {
            Self::Imposed { .. } => true,
            Self::Lifted { ids, .. } => !ids.is_empty(),
        }
    }
}

impl Order {
    pub(super) fn acting(&self) -> Actor {
        Actor { actor_id: self.moderator.get(), ..self.sender.clone() }
    }

    /// Of a moderator who was not signed in, audit entry and staff action say who names them (docs/rules.md 4).
    pub(super) fn note_moderator(&self, details: &mut Value) {
        if self.done_on_chat {
            details["moderator"] = json!("named_by_chat_platform");
        } else if self.sender.key_id.is_some() {
            details["moderator"] = json!("named_by_key");
        } else if self.imported.is_some_and(|imported| imported.by_line) {
            details["moderator"] = json!("named_by_import");
        }
        if let Some(Imported { done_at, .. }) = self.imported {
            details["imported"] = json!(true);
            if let Some(at) = done_at {
                details["banned_at"] = json!(at.to_rfc3339_opts(SecondsFormat::Secs, true));
            }
        }
    }
}
