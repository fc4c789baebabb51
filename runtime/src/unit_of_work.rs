//! A change and its effects. The transaction collects writes (audit entries, events) and effects (events, messages to
//! workers); [`UnitOfWork::commit`] performs them in order.
//!
//! So no effect happens without the commit, none is forgotten after it while the process lives, and this process sees
//! the change before its caller goes on.

use entities::Timestamp;
use entities::audit_chain;
use entities::audit_entry::{Actor, NewEntry};
use entities::job::JobMessage;
use sea_orm::DbErr;

use crate::context::Context;
use crate::database::Transaction;
use crate::events::{Event, Events};

/// A change that sends more reads or writes row by row. However fast a statement is, nobody else writes to a SQLite file
/// meanwhile, and on a busy machine each one waits for its turn.
const MOST_STATEMENTS: usize = 200;

pub struct UnitOfWork {
    transaction: Transaction,
    now: Timestamp,
    publisher: Events,
    audited: Vec<(Actor, NewEntry)>,
    events: Vec<Event>,
    messages: Vec<JobMessage>,
    most_statements: usize,
}

impl UnitOfWork {
    pub async fn begin(context: &Context) -> Result<Self, DbErr> {
        Ok(Self::new(context.database.begin().await?, &context.events, context.clock.now()))
    }

    /// For a holder of only these three.
    pub fn new(transaction: Transaction, publisher: &Events, now: Timestamp) -> Self {
        let (audited, events, messages) = Default::default();
        let (publisher, most_statements) = (publisher.clone(), MOST_STATEMENTS);
        Self { transaction, now, publisher, audited, events, messages, most_statements }
    }

    /// Permits any number of statements, for a file that is loaded whole or not at all.
    pub fn unbounded(&mut self) {
        self.most_statements = usize::MAX;
    }

    pub fn tx(&self) -> &Transaction {
        &self.transaction
    }

    pub fn now(&self) -> Timestamp {
        self.now
    }

    pub fn audit(&mut self, actor: Actor, entry: NewEntry) {
        self.audited.push((actor, entry));
    }

    /// Entries of the service itself.
    pub fn audit_own(&mut self, entries: impl IntoIterator<Item = NewEntry>) {
        self.audited.extend(entries.into_iter().map(|entry| (Actor::service(), entry)));
    }

    /// Writes events into the change log, and publishes them after the commit.
    pub fn announce(&mut self, events: impl IntoIterator<Item = Event>) {
        self.events.extend(events);
    }

    /// Publishes jobs, already inserted in this transaction, after the commit.
    pub fn publish(&mut self, messages: impl IntoIterator<Item = JobMessage>) {
        self.messages.extend(messages);
    }

    /// Commits the change and publishes its events. Returns the jobs, which only the queue can publish: the safety net
    /// of the workers finds those that are not.
    pub async fn commit(self) -> Result<Vec<JobMessage>, DbErr> {
        let (recorded, events) = Events::prepare(self.events, self.now)?;
        let mut last = audit_chain::inserts(&self.transaction, self.audited, self.now).await?;
        last.extend(events);
        if cfg!(debug_assertions) {
            let sent = self.transaction.sent().await;
            assert!(sent <= self.most_statements, "{sent} statements in one transaction");
        }
        self.transaction.commit_with(last).await?;
        self.publisher.publish(recorded);
        Ok(self.messages)
    }

    pub async fn rollback(self) -> Result<(), DbErr> {
        self.transaction.rollback().await
    }
}
