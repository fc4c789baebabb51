//! A change, its audit entries and its events in one transaction: running processes notice a change if and only if it was
//! committed, within a second.

use entities::audit_entry::{Actor, NewEntry};
use entities::{GuildId, Timestamp};
use jobs::Operator;
use runtime::{Context, Event, Events, Transaction};
use sea_orm::{ConnectionTrait, DbErr};
use serde_json::Value;

use super::os_user::os_user;

pub(crate) struct UnitOfWork {
    context: Context,
    transaction: Transaction,
    now: Timestamp,
    events: Vec<Event>,
}

impl UnitOfWork {
    pub(crate) async fn begin(context: Context) -> anyhow::Result<Self> {
        let (transaction, now) = (context.database.begin().await?, context.clock.now());
        Ok(Self { context, transaction, now, events: Vec::new() })
    }

    pub(crate) fn tx(&self) -> &Transaction {
        &self.transaction
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) async fn audit(
        &self,
        guild: GuildId,
        action: &'static str,
        target: impl ToString,
        metadata: Value,
    ) -> Result<(), DbErr> {
        let target = target.to_string();
        let entry = NewEntry { guild, action, target, metadata };
        audit(&self.transaction, entry, self.now).await
    }

    pub(crate) fn announce(&mut self, events: impl IntoIterator<Item = Event>) {
        self.events.extend(events);
    }

    /// Commits the change and closes the database.
    pub(crate) async fn commit(self) -> anyhow::Result<()> {
        Events::record(&self.transaction, self.events, self.now).await?;
        self.transaction.commit().await?;
        self.context.close().await;
        Ok(())
    }
}

/// The user of the operating system who runs the command, because `actor_id` is a chat user's.
pub(crate) fn operator() -> Operator {
    Operator { actor: Actor::service(), by: os_user() }
}

/// Writes the audit entry of a change made by a command. `metadata` is an object.
pub(crate) async fn audit<C: ConnectionTrait>(
    conn: &C,
    entry: NewEntry,
    now: Timestamp,
) -> Result<(), DbErr> {
    operator().audit(conn, entry, now).await
}
