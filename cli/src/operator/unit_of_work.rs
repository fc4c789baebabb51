//! A change by a command. Its audit entries name who ran it; running processes notice it within a second.

use std::ops::{Deref, DerefMut};

use entities::audit_entry::{Actor, NewEntry};
use entities::{GuildId, Timestamp};
use jobs::Operator;
use runtime::Context;
use sea_orm::{ConnectionTrait, DbErr};
use serde_json::Value;

use super::os_user::os_user;

pub(crate) struct UnitOfWork {
    context: Context,
    work: runtime::UnitOfWork,
}

impl Deref for UnitOfWork {
    type Target = runtime::UnitOfWork;

    fn deref(&self) -> &Self::Target {
        &self.work
    }
}

impl DerefMut for UnitOfWork {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.work
    }
}

impl UnitOfWork {
    pub(crate) async fn begin(context: Context) -> anyhow::Result<Self> {
        let work = runtime::UnitOfWork::begin(&context).await?;
        Ok(Self { context, work })
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) fn audit(
        &mut self,
        guild: GuildId,
        action: &'static str,
        target: impl ToString,
        metadata: Value,
    ) {
        let operator = operator();
        let entry = operator.signed(NewEntry { guild, action, target: target.to_string(), metadata });
        self.work.audit(operator.actor, entry);
    }

    /// Commits the change and closes the database. The safety net of the workers finds its jobs.
    pub(crate) async fn commit(self) -> anyhow::Result<()> {
        self.work.commit().await?;
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
