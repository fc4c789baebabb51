//! Sanctions to insert.

use sea_orm::ActiveValue::{NotSet, Set};

use super::model::{ActiveModel, MirrorState, Model, SanctionKind, Slot};
use super::number::Numbered;
use crate::moderation_revision::Change;
use crate::{ChatId, KeyId, Person, PlaceId, Subject, Timestamp};

/// A sanction to insert.
#[derive(Debug, Clone)]
pub struct NewSanction {
    pub kind: SanctionKind,
    /// The account that the moderator names.
    pub subject: Subject,
    /// Whose account that is.
    pub person: Person,
    pub place: Option<PlaceId>,
    pub reason: String,
    pub moderator: ChatId,
    /// The key that names the moderator; `None`: a person who is signed in, or a file of an operator.
    pub key: Option<KeyId>,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    /// The number of the one that it restores.
    pub number: Option<i64>,
}

impl NewSanction {
    pub(super) fn slot(&self) -> Slot {
        let (chat, play) = (self.subject.chat(), self.subject.play());
        Slot { kind: self.kind, chat, play, place: self.place }
    }

    /// The slot of the person's other account.
    pub(super) fn twin(&self) -> Option<Slot> {
        let Person { chat, play } = self.person;
        let (chat, play) = if self.subject.chat().is_some() { (None, play) } else { (chat, None) };
        (chat.is_some() || play.is_some()).then_some(Slot { chat, play, ..self.slot() })
    }

    pub(super) fn slots(&self) -> impl Iterator<Item = Slot> + use<> {
        std::iter::once(self.slot()).chain(self.twin())
    }

    pub(super) fn numbered(&self) -> Numbered {
        Numbered { slot: self.slot(), twin: self.twin(), restored: self.number }
    }
}

#[derive(Debug, Clone)]
pub struct Created {
    pub sanction: Model,
    /// The older sanctions it replaced, now closed. `lifted_how` marks those that had expired before.
    pub closed: Vec<Model>,
}

/// Every column is set, so that all rows of one insert have the same ones.
pub(super) fn row(change: &Change, new: NewSanction, number: i64) -> ActiveModel {
    ActiveModel {
        sanction_id: NotSet,
        guild_id: Set(change.guild),
        number: Set(number),
        kind: Set(new.kind),
        chat_id: Set(new.subject.chat()),
        play_id: Set(new.subject.play()),
        place_id: Set(new.place),
        reason: Set(new.reason),
        moderator_id: Set(new.moderator),
        key_id: Set(new.key),
        created_at: Set(new.created_at),
        expires_at: Set(new.expires_at),
        lifted_at: Set(None),
        lifted_how: Set(None),
        lifted_by: Set(None),
        lift_reason: Set(None),
        mirror_state: Set(MirrorState::None),
        mirror_chat_id: Set(None),
        mirror_job_id: Set(None),
        mirror_error: Set(None),
        revision: Set(change.revision),
    }
}
