//! Bans of a guild, with who made and who lifted them.

use std::time::SystemTime;

use entities::ChatId;
use serde_json::{Value, json};

use crate::snowflake::Snowflake;
use crate::state::Guild;

/// The platform's numbers of what an entry tells.
const BANNED: u8 = 22;
const LIFTED: u8 = 23;

#[derive(Debug)]
pub(crate) struct BanEntry {
    id: Snowflake,
    kind: u8,
    by: Option<ChatId>,
    user: ChatId,
    reason: Option<Box<str>>,
}

impl BanEntry {
    fn body(&self) -> Value {
        let Self { id, kind, by, user, reason } = self;
        json!({ "id": id, "action_type": kind, "user_id": by, "target_id": user, "reason": reason, "changes": [] })
    }
}

impl Guild {
    /// A banned member leaves the guild.
    pub(crate) fn ban(&mut self, by: Option<ChatId>, user: ChatId, reason: Option<Box<str>>) {
        self.members.remove(&user);
        self.note_ban(BANNED, by, user, reason.clone());
        self.bans.insert(user, reason);
    }

    /// Whether there was a ban.
    pub(crate) fn lift_ban(&mut self, by: Option<ChatId>, user: ChatId, reason: Option<Box<str>>) -> bool {
        let lifted = self.bans.remove(&user).is_some();
        if lifted {
            self.note_ban(LIFTED, by, user, reason);
        }
        lifted
    }

    fn note_ban(&mut self, kind: u8, by: Option<ChatId>, user: ChatId, reason: Option<Box<str>>) {
        let last = self.ban_log.last().map_or(Snowflake::default(), |entry| entry.id);
        self.ban_log.push(BanEntry { id: last.next(SystemTime::now()), kind, by, user, reason });
    }

    /// The last entries of a kind, newest first; those after an id oldest first.
    pub(crate) fn ban_entries(&self, kind: Option<u8>, after: Option<Snowflake>, limit: usize) -> Vec<Value> {
        let of_kind = |entry: &&BanEntry| kind.is_none_or(|kind| entry.kind == kind);
        let all = self.ban_log.iter().filter(of_kind);
        match after {
            Some(after) => all.filter(|entry| entry.id > after).take(limit).map(BanEntry::body).collect(),
            None => all.rev().take(limit).map(BanEntry::body).collect(),
        }
    }
}
