//! The pending commands of each game server, so that a poll needs no query while there are no new ones.

use std::sync::Arc;

use entities::server_command::{self, Model};
use entities::{CommandId, GuildId, Timestamp};
use runtime::{Context, Freshness};
use sea_orm::DbErr;

use crate::cache::event_fed::EventFed;
use crate::response::rows::{Seconds, answer};

/// Commands in one response. Further ones follow as these are acknowledged.
const COMMANDS_MAX: u64 = 1_000;
const CAPACITY: usize = 50_000;

answer! {
    /// A command as game servers see it (docs/rules.md 8).
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct Command from row: Model {
        pub(crate) id: CommandId = row.command_id,
        #[serde(rename = "type")]
        #[schema(example = "kick")]
        pub(crate) kind: String,
        #[schema(example = "4815162342")]
        pub(crate) target_id: String,
        #[schema(example = "exploiting")]
        pub(crate) reason: String,
        pub(crate) issued_at: Seconds,
    }
}

impl Command {
    fn is_pending(&self, now: Timestamp) -> bool {
        self.issued_at.0 > now - server_command::LIFETIME
    }
}

/// A server of a guild, by the id it gives itself.
pub(crate) type OwnServer = (GuildId, String);

pub(crate) struct Commands {
    pub(crate) entries: EventFed<OwnServer, Arc<Vec<Command>>>,
    freshness: Freshness,
}

impl Commands {
    pub(crate) fn new(freshness: &Freshness) -> Self {
        Self { entries: EventFed::new("commands", freshness, CAPACITY), freshness: freshness.clone() }
    }

    /// The pending commands of the server, oldest first.
    pub(crate) async fn of(
        &self,
        context: &Context,
        server: &OwnServer,
        now: Timestamp,
    ) -> Result<Arc<Vec<Command>>, DbErr> {
        let read = || async { Ok(Arc::new(read(context, server, now).await?)) };
        let pending = self.entries.get_or_load(server, read).await?;
        if pending.iter().all(|command| command.is_pending(now)) {
            return Ok(pending);
        }
        Ok(Arc::new(pending.iter().filter(|command| command.is_pending(now)).cloned().collect()))
    }

    /// Those of [`of`](Self::of); while the database is away those that were known, if any.
    pub(crate) async fn of_or_stale(
        &self,
        context: &Context,
        server: &OwnServer,
        now: Timestamp,
    ) -> Result<(Arc<Vec<Command>>, bool), DbErr> {
        if let Some(pending) =
            self.entries.get(server).filter(|all| all.iter().all(|one| one.is_pending(now)))
        {
            return Ok((pending, false));
        }
        let read = async { self.of(context, server, now).await.map(|pending| (pending, false)) };
        let known = || self.entries.get_stale(server).unwrap_or_default();
        self.freshness.unless_lost(read).await.unwrap_or_else(|| Ok((known(), true)))
    }
}

/// The pending commands in the database, oldest first.
async fn read(context: &Context, (guild, server): &OwnServer, now: Timestamp) -> Result<Vec<Command>, DbErr> {
    let rows = server_command::waiting(context.database.read(), *guild, server, now, COMMANDS_MAX).await?;
    Ok(rows.into_iter().map(Command::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_waits_for_ten_minutes_and_looks_as_in_the_interface() {
        let issued: Timestamp = "2026-01-02T03:04:05Z".parse().unwrap();
        let command = Command {
            id: CommandId(uuid::Uuid::nil()),
            kind: "kick".to_owned(),
            target_id: "7".to_owned(),
            reason: "r".to_owned(),
            issued_at: Seconds(issued),
        };
        assert!(command.is_pending(issued + server_command::LIFETIME - std::time::Duration::from_secs(1)));
        assert!(!command.is_pending(issued + server_command::LIFETIME));
        let expected = serde_json::json!({
            "id": "00000000-0000-0000-0000-000000000000", "type": "kick", "target_id": "7", "reason": "r",
            "issued_at": "2026-01-02T03:04:05Z",
        });
        assert_eq!(serde_json::to_value(&command).unwrap(), expected);
    }
}
