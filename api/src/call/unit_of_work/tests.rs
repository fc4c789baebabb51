use entities::binding::{self, Condition, Rule};
use entities::job::listing;
use entities::{GuildId, audit_entry, change_log};
use jobs::kinds::SyncMember;
use runtime::Event;
use sea_orm::{ConnectionTrait, EntityTrait, PaginatorTrait};
use serde_json::json;
use tokio::sync::broadcast::error::TryRecvError;

use super::*;
use crate::call::fixture::{CallFixture, the_guild};

struct Fixture {
    call: Call,
    _process: CallFixture,
}

fn guild() -> GuildId {
    the_guild()
}

impl Fixture {
    async fn new() -> Self {
        let process = CallFixture::new().await;
        Self { call: process.call(), _process: process }
    }

    /// Changes a binding with every kind of effect, then ends as specified.
    async fn change(&self, guild: GuildId, end: impl AsyncFnOnce(UnitOfWork<'_>) -> bool) -> (JobId, bool) {
        let mut work = UnitOfWork::begin(&self.call).await.unwrap();
        work.tx().execute_unprepared("PRAGMA defer_foreign_keys = ON").await.unwrap();
        let (group, role_id) = ("9".parse().unwrap(), "7".parse().unwrap());
        let rule = Rule::new(Condition::GroupRank { group, rank: 1 }, role_id);
        binding::add(work.tx(), guild, rule, work.now()).await.unwrap();
        work.audit("bindings.add", 1, json!({}));
        let payload = SyncMember::of(self.call.guild(), "8".parse().unwrap());
        let draft = Draft::new(self.call.guild(), &payload, self.call.actor()).unwrap();
        let enqueued = work.insert_job(draft).await.unwrap();
        work.publish(enqueued.message);
        work.announce([Event::LinksChanged { guild }]);
        (enqueued.job, end(work).await)
    }

    /// Events in the change log.
    async fn logged(&self) -> u64 {
        change_log::Entity::find().count(self.call.read()).await.unwrap()
    }

    async fn audit_entries(&self) -> u64 {
        audit_entry::Entity::find().count(self.call.read()).await.unwrap()
    }
}

#[tokio::test]
async fn a_commit_writes_the_change_and_publishes_its_effects() {
    let fixture = Fixture::new().await;
    let mut events = fixture.call.state.context.events.subscribe();
    let commit = async |work: UnitOfWork<'_>| work.commit(Reply::message("done")).await.is_ok();
    let (job, committed) = fixture.change(guild(), commit).await;
    assert!(committed);
    assert_eq!(events.try_recv(), Ok(Event::LinksChanged { guild: guild() }));
    assert_eq!(events.try_recv(), Err(TryRecvError::Empty));
    assert_eq!((fixture.audit_entries().await, fixture.logged().await), (1, 1));
    assert!(listing::find_any(fixture.call.read(), job).await.unwrap().is_some());
    assert_eq!(binding::list(fixture.call.read(), guild()).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_failed_commit_publishes_nothing() {
    let fixture = Fixture::new().await;
    let mut events = fixture.call.state.context.events.subscribe();
    let unknown_guild: GuildId = "999".parse().unwrap();
    let commit = async |work: UnitOfWork<'_>| work.commit(Reply::message("done")).await.is_ok();
    let (job, committed) = fixture.change(unknown_guild, commit).await;
    assert!(!committed, "the foreign key is checked at the commit");
    assert_eq!(events.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(fixture.logged().await, 0);
    assert_eq!(fixture.audit_entries().await, 0);
    assert!(listing::find_any(fixture.call.read(), job).await.unwrap().is_none());
}

#[tokio::test]
async fn a_dropped_change_writes_and_publishes_nothing() {
    let fixture = Fixture::new().await;
    let mut events = fixture.call.state.context.events.subscribe();
    let (job, _) = fixture
        .change(guild(), async |work: UnitOfWork<'_>| {
            drop(work);
            false
        })
        .await;
    assert_eq!(events.try_recv(), Err(TryRecvError::Empty));
    assert_eq!((fixture.audit_entries().await, fixture.logged().await), (0, 0));
    assert!(listing::find_any(fixture.call.read(), job).await.unwrap().is_none());
}
