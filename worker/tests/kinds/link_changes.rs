//! A link that ends or changes while a job makes changes for it (docs/rules.md 5 and 11).

use entities::audit_entry::Actor;
use entities::link::{self, Source};
use entities::{JobId, PlayId};
use jobs::bulk_sync::{PlannedChange, SyncChunk};
use jobs::linking::{Linking, NewLink};
use runtime::UnitOfWork;
use serde_json::json;

use crate::fixture::{Fixture, chat, guild_id, until};
use crate::link_roles::sync;
use crate::people::{MEMBER, Person, TRAINEE};
use crate::process::Process;
use crate::sync_chunk::{self, planned};

const READ: &str = "GET /guilds/:guild/members/:user";
const ADD: &str = "PUT /guilds/:guild/members/:user/roles/:role";
const REMOVE: &str = "DELETE /guilds/:guild/members/:user/roles/:role";
/// Longer than the jobs of a change of links take.
const HANG: u64 = 2_000;

/// Lacks the role of rank 1.
fn bare(n: i64) -> Person {
    Person { held: vec![], ..Person::right(n) }
}

/// A second account of a person, of rank 50.
fn second(n: i64) -> Person {
    Person { in_guild: false, linked_as: None, rank: Some(50), ..Person::right(n) }
}

fn play(person: &Person) -> PlayId {
    PlayId::try_from(person.play).unwrap()
}

/// A plan that gives each the role of rank 1.
fn chunk(process: &Process, people: &[&Person]) -> SyncChunk {
    let planned = |person: &&Person| PlannedChange { remove: vec![], nick: None, ..planned(person) };
    SyncChunk { members: people.iter().map(planned).collect(), ..sync_chunk::chunk(process, &[], 0) }
}

/// Ends the person's link, and returns the job of that.
async fn unlink(process: &Process, person: &Person) -> JobId {
    let mut work = UnitOfWork::begin(&process.context).await.unwrap();
    let link = link::find_by_chat(work.tx(), guild_id(), chat(person.chat)).await.unwrap().unwrap();
    let mut linking = Linking::begin(&mut work, guild_id(), Actor::service()).await.unwrap();
    let job = linking.unlink(&link).await.unwrap();
    process.queue.publish(work.commit().await.unwrap());
    job
}

/// Links the person to this account, and returns the job of that.
async fn link_to(process: &Process, person: &Person, account: &Person) -> JobId {
    let mut work = UnitOfWork::begin(&process.context).await.unwrap();
    let mut linking = Linking::begin(&mut work, guild_id(), Actor::service()).await.unwrap();
    let new = NewLink {
        chat: chat(person.chat),
        play: play(account),
        name: account.name.clone(),
        source: Source::Staff,
    };
    let linked = linking.link(new).await.unwrap();
    process.queue.publish(work.commit().await.unwrap());
    linked.sync.unwrap()
}

/// The next call of this route is late: it takes effect late, or (`served`) only its answer comes late.
async fn delay(fixture: &Fixture, route: &str, served: bool) {
    fixture.order(&json!({ "route": route, "hang_ms": HANG, "served": served })).await;
}

async fn is_under_way(fixture: &Fixture) {
    until("the call", async || fixture.stats().await["faults_left"] == 0).await;
}

#[tokio::test]
async fn a_sync_gives_nothing_for_a_link_that_ends_before_its_calls() {
    let person = bare(1);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    delay(&fixture, READ, true).await;
    let job = process.enqueue(&sync(&person)).await;
    is_under_way(&fixture).await;
    process.finish(unlink(&process, &person).await).await;
    process.finish(job).await;
    assert_eq!(fixture.member(person.chat).await, (vec![], None));
    assert!(fixture.stats().await["requests"][ADD].is_null(), "the role was given for a moment");
}

#[tokio::test]
async fn a_sync_takes_back_what_it_gave_for_a_link_that_ended_during_its_call() {
    let person = bare(1);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    delay(&fixture, ADD, false).await;
    let job = process.enqueue(&sync(&person)).await;
    is_under_way(&fixture).await;
    process.finish(unlink(&process, &person).await).await;
    process.finish(job).await;
    until("what came late is taken", async || fixture.member(person.chat).await == (vec![], None)).await;
}

#[tokio::test]
async fn a_sync_for_an_old_link_makes_the_member_right_for_the_new_one() {
    let (person, account) = (bare(1), second(2));
    let fixture = Fixture::new(&[person.clone(), account.clone()]).await;
    let process = fixture.process().await;
    delay(&fixture, ADD, false).await;
    let job = process.enqueue(&sync(&person)).await;
    is_under_way(&fixture).await;
    process.finish(link_to(&process, &person, &account).await).await;
    process.finish(job).await;
    let right = (vec![TRAINEE], Some(account.name));
    until("the member is right", async || fixture.member(person.chat).await == right).await;
}

#[tokio::test]
async fn the_end_of_a_link_takes_nothing_from_whoever_is_linked_again_before_its_calls() {
    let person = Person::right(1);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    delay(&fixture, READ, true).await;
    let job = unlink(&process, &person).await;
    is_under_way(&fixture).await;
    process.finish(link_to(&process, &person, &person).await).await;
    process.finish(job).await;
    assert_eq!((fixture.member(person.chat).await.0, fixture.updates().await), (vec![MEMBER], 0));
}

#[tokio::test]
async fn what_the_end_of_a_link_took_is_told_though_the_member_is_linked_again_meanwhile() {
    let person = Person::right(1);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    delay(&fixture, REMOVE, true).await;
    let job = unlink(&process, &person).await;
    is_under_way(&fixture).await;
    process.finish(link_to(&process, &person, &person).await).await;
    process.finish(job).await;
    let right = (vec![MEMBER], Some(person.name.clone()));
    until("the member is right", async || fixture.member(person.chat).await == right).await;
    let told = process.audit("sync.member").await;
    let took = told.iter().filter(|entry| entry.metadata["after"]["roles"] == json!([]));
    assert_eq!(took.count(), 1, "{told:?}");
}

#[tokio::test]
async fn a_link_that_was_found_ends_only_while_it_is_that_one() {
    let (person, account) = (Person::right(1), second(2));
    let fixture = Fixture::new(&[person.clone(), account.clone()]).await;
    let process = fixture.process().await;
    let (read, user) = (process.context.database.read(), chat(person.chat));
    let found = link::find_by_chat(read, guild_id(), user).await.unwrap().unwrap();
    link_to(&process, &person, &account).await;
    let newer = link::find_by_chat(read, guild_id(), user).await.unwrap().unwrap();
    for (found, ends) in [(found, false), (newer, true)] {
        let mut work = UnitOfWork::begin(&process.context).await.unwrap();
        let mut linking = Linking::begin(&mut work, guild_id(), Actor::service()).await.unwrap();
        assert_eq!(linking.unlink_found(&found).await.unwrap().is_some(), ends);
        work.commit().await.unwrap();
        assert_eq!(link::find_by_chat(read, guild_id(), user).await.unwrap().is_none(), ends);
    }
}

#[tokio::test]
async fn a_bulk_sync_gives_nothing_to_whoever_lost_or_changed_the_link_since_its_plan() {
    let (gone, moved, stays, account) = (bare(1), bare(2), bare(3), second(4));
    let fixture = Fixture::new(&[gone.clone(), moved.clone(), stays.clone(), account.clone()]).await;
    let process = fixture.process().await;
    let chunk = chunk(&process, &[&gone, &moved, &stays]);
    process.finish(unlink(&process, &gone).await).await;
    process.finish(link_to(&process, &moved, &account).await).await;
    let before = fixture.updates().await;
    let result = process.succeed(&chunk).await;
    assert_eq!(result, json!({ "updated": 1, "failed": 0, "skipped": 2, "writes": 1 }));
    assert_eq!(fixture.updates().await - before, 1);
    assert!(fixture.member(gone.chat).await.0.is_empty());
    assert_eq!(fixture.member(moved.chat).await.0, [TRAINEE]);
    assert_eq!(fixture.member(stays.chat).await.0, [MEMBER]);
}

#[tokio::test]
async fn a_bulk_sync_corrects_what_it_gave_for_links_that_ended_or_changed_during_its_calls() {
    let (gone, moved, stays, account) = (bare(1), bare(2), bare(3), second(4));
    let fixture = Fixture::new(&[gone.clone(), moved.clone(), stays.clone(), account.clone()]).await;
    let process = fixture.process().await;
    for _ in 0..3 {
        delay(&fixture, ADD, false).await;
    }
    let job = process.enqueue(&chunk(&process, &[&gone, &moved, &stays])).await;
    is_under_way(&fixture).await;
    process.finish(unlink(&process, &gone).await).await;
    process.finish(link_to(&process, &moved, &account).await).await;
    process.finish(job).await;
    until("all are right", async || {
        let found = [&gone, &moved, &stays].map(|person| fixture.member(person.chat));
        let [gone, moved, stays] = found;
        (gone.await.0, moved.await.0, stays.await.0) == (vec![], vec![TRAINEE], vec![MEMBER])
    })
    .await;
}
