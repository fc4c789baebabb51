//! Who makes a call: a key, or a person signed in to the console of this process.

use std::sync::Arc;

use entities::api_key::Scope;
use entities::{ChatId, GuildId, KeyId};

use crate::cache::keys::Key;
use crate::response::error::ApiError;

pub(crate) enum Caller {
    Key(Arc<Key>),
    /// The console has checked the rights for what it calls.
    Person {
        guild: GuildId,
        user: ChatId,
    },
}

impl Caller {
    pub(crate) fn guild(&self) -> GuildId {
        match self {
            Self::Key(key) => key.guild(),
            Self::Person { guild, .. } => *guild,
        }
    }

    /// The chat user behind the call: the person, or the key's owner.
    pub(crate) fn user(&self) -> ChatId {
        match self {
            Self::Key(key) => key.owner(),
            Self::Person { user, .. } => *user,
        }
    }

    pub(crate) fn key_id(&self) -> Option<KeyId> {
        self.key().map(Key::id)
    }

    pub(crate) fn key(&self) -> Option<&Key> {
        match self {
            Self::Key(key) => Some(key),
            Self::Person { .. } => None,
        }
    }

    pub(crate) fn require(&self, scope: Scope) -> Result<(), ApiError> {
        self.key().map_or(Ok(()), |key| key.require(scope))
    }
}
