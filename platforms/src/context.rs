//! What every platform call carries: whose guild it is for, and how urgent it is.

use std::time::Duration;

use entities::GuildId;

/// The two classes of platform calls. Bulk never takes the last permits, so an interactive call always finds its share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Priority {
    /// Somebody waits for the answer.
    Interactive,
    /// Part of a job over many members.
    Bulk,
}

impl Priority {
    /// The longest pause (429, spent bucket) a call sits out before it is handed back as rate limited.
    pub(crate) fn patience(self) -> Duration {
        match self {
            Self::Interactive => Duration::from_secs(5),
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
