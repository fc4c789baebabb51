//! What a guild's audit log says of bans: who made and who lifted them.

use std::time::SystemTime;

use entities::ChatId;
use serde_json::{Value, json};

use crate::snowflake::Snowflake;

/// The platform's numbers of what an entry tells.
const BANNED: u8 = 22;
const LIFTED: u8 = 23;

#[derive(Debug)]
struct BanEntry {
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

/// Oldest first.
#[derive(Debug, Default)]
pub(crate) struct BanLog(Vec<BanEntry>);

impl BanLog {
    pub(crate) fn banned(&mut self, by: Option<ChatId>, user: ChatId, reason: Option<Box<str>>) {
        self.note(BANNED, by, user, reason);
    }

    pub(crate) fn lifted(&mut self, by: Option<ChatId>, user: ChatId, reason: Option<Box<str>>) {
        self.note(LIFTED, by, user, reason);
    }

    fn note(&mut self, kind: u8, by: Option<ChatId>, user: ChatId, reason: Option<Box<str>>) {
        let last = self.0.last().map_or(Snowflake::default(), |entry| entry.id);
        self.0.push(BanEntry { id: last.next(SystemTime::now()), kind, by, user, reason });
    }

    /// The last entries of a kind, newest first; those after an id oldest first.
    pub(crate) fn entries(&self, kind: Option<u8>, after: Option<Snowflake>, limit: usize) -> Vec<Value> {
        let of_kind = |entry: &&BanEntry| kind.is_none_or(|kind| entry.kind == kind);
        let all = self.0.iter().filter(of_kind);
        match after {
            Some(after) => all.filter(|entry| entry.id > after).take(limit).map(BanEntry::body).collect(),
            None => all.rev().take(limit).map(BanEntry::body).collect(),
        }
    }
}
