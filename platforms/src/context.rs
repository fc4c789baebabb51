//! The context of every platform call: its guild and its priority.

use std::time::Duration;

use entities::GuildId;

/// The priorities of platform calls. Bulk never takes the last permits, so interactive calls always get their share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Priority {
    /// A caller waits for the answer.
    Interactive,
    /// Part of a job over many members.
    Bulk,
    /// A person who is not signed in waits: a sign-in, or an access token. Paced as an interactive call;
    /// after too many refusals it is the first to stop, so that strangers do not use up the budget of the
    /// others.
    Stranger,
}

impl Priority {
    /// The longest pause (429, exhausted bucket) that a call waits out; a longer one returns rate limited.
    pub(crate) fn patience(self) -> Duration {
        match self {
            Self::Interactive | Self::Stranger => Duration::from_secs(5),
            Self::Bulk => Duration::from_mins(1),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallContext {
    pub guild: GuildId,
    pub priority: Priority,
}

impl CallContext {
    pub fn interactive(guild: GuildId) -> Self {
        Self { guild, priority: Priority::Interactive }
    }

    pub fn bulk(guild: GuildId) -> Self {
        Self { guild, priority: Priority::Bulk }
    }
}
