//! Who makes a call: a key, or a person by a page or a chat command of this process.

use std::sync::Arc;

use entities::api_key::Scope;
use entities::{ChatId, GuildId, KeyId};
use jobs::kinds;
use people::actions::needs_of_job;
use people::{Needs, Rights};

use crate::cache::keys::Key;
use crate::response::error::ApiError;

#[derive(Clone)]
pub(crate) enum Caller {
    Key(Arc<Key>),
    /// With the rights that they have in the guild.
    Person {
        guild: GuildId,
        user: ChatId,
        rights: Arc<Rights>,
        /// Their name, where the chat platform has just told that they are a member.
        member: Option<Arc<str>>,
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

    /// The name of this chat user, if it is the caller, and known to be a member without a question to the platform.
    pub(crate) fn name_of_member(&self, chat: ChatId) -> Option<&str> {
        match self {
            Self::Person { user, member, .. } if *user == chat => member.as_deref(),
            _ => None,
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

    /// Whether a key of the caller's may have this scope. What a person may call is in `people::actions`,
    /// but a key has no position among the roles of the guild: only a person above all of them gets a key
    /// that grants roles.
    pub(crate) fn require(&self, scope: Scope) -> Result<(), ApiError> {
        match self {
            Self::Key(key) => key.require(scope),
            Self::Person { .. } if matches!(scope, Scope::Admin | Scope::Sync | Scope::Links) => {
                self.administrates("scopes")
            }
            Self::Person { .. } => Ok(()),
        }
    }

    /// Whether the caller may set a field that grants power on the chat platform.
    pub(crate) fn administrates(&self, field: &str) -> Result<(), ApiError> {
        match self {
            Self::Person { rights, .. } if !rights.administrates => Err(ApiError::forbidden(
                "not_administrator",
                format!(
                    "`{field}`: only the owner of the guild on the chat platform, and members with Administrator \
                     there, may set this"
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Whether the caller may change a job of this kind.
    pub(crate) fn require_kind(&self, kind: &str) -> Result<(), ApiError> {
        match self {
            Self::Key(key) => key.require(kinds::scope(kind)),
            Self::Person { rights, .. } => lacking(rights, needs_of_job(kind)),
        }
    }

    /// Only admins decide about themselves (docs/rules.md 6). A key is not a person, so it is not restricted.
    pub(crate) fn decides_about(&self, person: ChatId) -> Result<(), ApiError> {
        match self {
            Self::Person { user, rights, .. } if *user == person && !rights.admin => {
                Err(ApiError::forbidden(
                    "own_matter",
                    "this is about yourself: only an admin of the guild decides it",
                ))
            }
            _ => Ok(()),
        }
    }

    /// People without this right do it only for themselves.
    pub(crate) fn acts_for(&self, person: ChatId, right: Needs) -> Result<(), ApiError> {
        match self {
            Self::Person { user, rights, .. } if *user != person => lacking(rights, right),
            _ => Ok(()),
        }
    }

    /// A person is in the guild; of others only their key is known.
    pub(crate) fn require_member(&self) -> Result<(), ApiError> {
        match self {
            Self::Person { rights, .. } if !rights.member => Err(ApiError::not_a_member()),
            _ => Ok(()),
        }
    }

    /// The person whose own position among the roles limits what they give; a key has none.
    pub(crate) fn giver(&self) -> Option<ChatId> {
        match self {
            Self::Key(_) => None,
            Self::Person { user, .. } => Some(*user),
        }
    }
}

/// 403 that names what the person lacks.
pub(crate) fn lacking(rights: &Rights, needs: Needs) -> Result<(), ApiError> {
    if rights.may(needs) {
        Ok(())
    } else {
        Err(ApiError::forbidden("no_right", format!("this needs {needs}")))
    }
}
