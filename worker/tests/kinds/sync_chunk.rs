//! Chunks without their parent: old plans, fresh plans, outages.

use entities::{BindingId, GroupId, PlayId, RoleList, guild};
use jobs::bulk_sync::{Cause, PlannedChange, SyncChunk};
use serde_json::json;
use testkit::guild_row;

use crate::fixture::{Fixture, bind, chat, guild_id, role};
use crate::people::{DECORATION, GROUP, GUILD, MEMBER, MODERATOR, OFFICER, Person, TRAINEE};
use crate::process::Process;

const UPDATE: &str = "PATCH /guilds/:guild/members/:user";

/// A change that adds the role of rank 1 and removes the one of rank 50.
pub(crate) fn planned(person: &Person) -> PlannedChange {
    PlannedChange {
        user: chat(person.chat),
        play: Some(PlayId::try_from(person.play).unwrap()),
        add: vec![role(MEMBER)],
        remove: vec![role(TRAINEE)],
        nick: Some(person.name.clone()),
        ranks_before: [].into(),
        ranks: [(GroupId::try_from(GROUP).unwrap(), vec![1])].into(),
        bindings: [(role(MEMBER), vec![BindingId::try_from(1).unwrap()])].into(),
        nick_binding: None,
        nick_before: None,
        in_part: false,
    }
}

pub(crate) fn chunk(process: &Process, people: &[Person], age: i64) -> SyncChunk {
    let planned_at = process.context.clock.now().timestamp() - age;
    SyncChunk {
        guild: guild_id(),
        members: people.iter().map(planned).collect(),
        planned_at,
        cause: Cause::SyncAll,
    }
}

fn trainee(n: i64) -> Person {
    Person { held: vec![TRAINEE, DECORATION], nick: None, ..Person::right(n) }
}

#[tokio::test]
async fn an_old_plan_keeps_later_changes_and_skips_finished_ones() {
    let people: Vec<Person> = (1..=4).map(trainee).collect();
    let fixture = Fixture::new(&people).await;
    let process = fixture.process().await;
    let change = |n: usize, roles: &[i64], nick: Option<&str>| {
        let roles: Vec<String> = roles.iter().map(ToString::to_string).collect();
        let (guild, chat) = (GUILD.to_string(), people[n].chat.to_string());
        json!({ "guild_id": guild, "chat_id": chat, "roles": roles, "nick": nick })
    };
    fixture.change_member(change(1, &[OFFICER], None)).await;
    fixture.change_member(change(2, &[MEMBER], Some(&people[2].name))).await;
    fixture
        .change_member(
            json!({ "guild_id": GUILD.to_string(), "chat_id": people[3].chat.to_string(), "remove": true }),
        )
        .await;
    let chunk = chunk(&process, &people, 120);
    let job = process.enqueue(&chunk).await;
    let answer = process.finish(job).await;
    assert_eq!(
        answer,
        queue::Answer::Succeeded(json!({ "updated": 2, "failed": 1, "skipped": 1, "writes": 3 }))
    );
    assert_eq!(fixture.member(people[0].chat).await.0, [MEMBER, DECORATION]);
    assert_eq!(fixture.member(people[1].chat).await.0, [MEMBER, OFFICER]);
    let stats = fixture.stats().await;
    // One call for the first member; a role and a nickname for the second.
    assert_eq!((&stats["member_updates"], &stats["page_calls"]), (&json!(3), &json!(1)));
    assert_eq!(process.failures(job).await, [(people[3].chat, "not_a_member".to_owned())]);
}

#[tokio::test]
async fn whoever_is_spared_since_an_old_plan_keeps_roles_or_nickname() {
    let holder = |n: i64, roles: &[i64]| Person { held: roles.to_vec(), nick: None, ..Person::right(n) };
    let people = [holder(1, &[TRAINEE, DECORATION]), holder(2, &[TRAINEE, OFFICER]), holder(3, &[TRAINEE])];
    let fixture = Fixture::new(&people).await;
    let process = fixture.process().await;
    let list = |one: i64| RoleList(vec![role(one)]);
    let row = guild::Model {
        role_bypass_roles: list(DECORATION),
        nickname_bypass_roles: list(OFFICER),
        sticky_roles: list(TRAINEE),
        ..guild_row(guild_id(), process.context.clock.now())
    };
    guild::upsert(process.context.database.write(), row).await.unwrap();
    let old = chunk(&process, &people, 120);
    process.succeed(&old).await;
    assert_eq!(
        fixture.member(people[0].chat).await,
        (vec![TRAINEE, DECORATION], Some(people[0].name.clone()))
    );
    assert_eq!(fixture.member(people[1].chat).await, (vec![MEMBER, TRAINEE, OFFICER], None));
    assert_eq!(fixture.member(people[2].chat).await, (vec![MEMBER, TRAINEE], Some(people[2].name.clone())));
    // What a bulk sync did is put back, whoever holds what.
    let members = vec![PlannedChange { remove: vec![], nick: None, ..planned(&people[0]) }];
    process.succeed(&SyncChunk { members, cause: Cause::Undo, ..chunk(&process, &[], 120) }).await;
    assert_eq!(fixture.member(people[0].chat).await.0, [MEMBER, TRAINEE, DECORATION]);
}

/// A change of the member's roles by another client.
fn held(person: &Person, roles: &[i64]) -> serde_json::Value {
    let roles: Vec<String> = roles.iter().map(ToString::to_string).collect();
    json!({ "guild_id": GUILD.to_string(), "chat_id": person.chat.to_string(), "roles": roles })
}

#[tokio::test]
async fn a_role_assigned_after_the_plan_is_kept() {
    // Members with three differences, two, and one.
    let several = trainee(1);
    let two = Person { nick: Some(Person::right(2).name), ..trainee(2) };
    let one = Person { held: vec![], ..Person::right(3) };
    let people = [several, two, one];
    let fixture = Fixture::new(&people).await;
    let process = fixture.process().await;
    let mut chunk = chunk(&process, &people, 0);
    chunk.members[1].nick = None;
    chunk.members[2] = PlannedChange { remove: vec![], nick: None, ..chunk.members[2].clone() };
    for person in &people {
        let roles: Vec<i64> = person.held.iter().copied().chain([OFFICER]).collect();
        fixture.change_member(held(person, &roles)).await;
    }
    let result = process.succeed(&chunk).await;
    assert_eq!(result, json!({ "updated": 3, "failed": 0, "skipped": 0, "writes": 4 }));
    assert_eq!(fixture.member(people[0].chat).await.0, [MEMBER, OFFICER, DECORATION]);
    assert_eq!(fixture.member(people[1].chat).await.0, [MEMBER, OFFICER, DECORATION]);
    assert_eq!(fixture.member(people[2].chat).await.0, [MEMBER, OFFICER]);
    let stats = fixture.stats().await;
    let count = |route: &str| stats["requests"][route]["204"].as_u64().unwrap_or(0);
    let (put, delete) = (
        count("PUT /guilds/:guild/members/:user/roles/:role"),
        count("DELETE /guilds/:guild/members/:user/roles/:role"),
    );
    assert_eq!((put, delete, &stats["requests"][UPDATE]), (2, 1, &json!({ "200": 1 })), "{stats}");
}

#[tokio::test]
async fn a_role_that_became_privileged_after_the_plan_is_not_granted() {
    let only = Person { held: vec![], ..Person::right(1) };
    let beside = Person { held: vec![TRAINEE], ..Person::right(2) };
    let fixture = Fixture::new(&[only.clone(), beside.clone()]).await;
    let process = fixture.process().await;
    bind(&process.context, 1, MODERATOR).await;
    let plan = |person: &Person, remove: &[i64]| PlannedChange {
        add: vec![role(MODERATOR)],
        remove: remove.iter().copied().map(role).collect(),
        nick: None,
        ..planned(person)
    };
    let members = vec![plan(&only, &[]), plan(&beside, &[TRAINEE])];
    let chunk = SyncChunk { members, ..chunk(&process, &[], 0) };
    let job = process.enqueue(&chunk).await;
    let answer = process.finish(job).await;
    assert_eq!(
        answer,
        queue::Answer::Succeeded(json!({ "updated": 1, "failed": 1, "skipped": 0, "writes": 1 }))
    );
    assert!(fixture.member(only.chat).await.0.is_empty());
    assert!(fixture.member(beside.chat).await.0.is_empty());
    let refused = |person: &Person| (person.chat, "role_not_grantable".to_owned());
    assert_eq!(process.failures(job).await, [refused(&only), refused(&beside)]);
    fixture.allow(&process.context, &[MODERATOR]).await;
    process.succeed(&SyncChunk { members: vec![plan(&only, &[])], ..chunk }).await;
    assert_eq!(fixture.member(only.chat).await.0, [MODERATOR]);
}

#[tokio::test]
async fn a_role_whose_binding_was_deleted_after_the_plan_is_left_alone() {
    let people = [trainee(1), Person { nick: Some(Person::right(2).name), ..trainee(2) }];
    let fixture = Fixture::new(&people).await;
    let process = fixture.process().await;
    let mut chunk = chunk(&process, &people, 0);
    chunk.members[1] = PlannedChange { add: vec![], nick: None, ..chunk.members[1].clone() };
    let (read, write) = (process.context.database.read(), process.context.database.write());
    for binding in entities::binding::list(read, guild_id()).await.unwrap() {
        if binding.rule.role_id == role(TRAINEE) {
            entities::binding::delete(write, guild_id(), binding.id).await.unwrap();
        }
    }
    let result = process.succeed(&chunk).await;
    assert_eq!(result, json!({ "updated": 1, "failed": 0, "skipped": 1, "writes": 2 }));
    assert_eq!(fixture.member(people[0].chat).await.0, [MEMBER, TRAINEE, DECORATION]);
    assert_eq!(fixture.member(people[1].chat).await.0, [TRAINEE, DECORATION]);
}

#[tokio::test]
async fn a_refused_nickname_is_a_failure_that_names_the_completed_role() {
    let person = Person { held: vec![], nick: None, ..Person::right(1) };
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    fixture.fault(UPDATE, 403, 1).await;
    let process = fixture.process().await;
    let mut chunk = chunk(&process, std::slice::from_ref(&person), 0);
    chunk.members[0].remove = vec![];
    let job = process.enqueue(&chunk).await;
    let answer = process.finish(job).await;
    assert_eq!(
        answer,
        queue::Answer::Succeeded(json!({ "updated": 0, "failed": 1, "skipped": 0, "writes": 1 }))
    );
    assert_eq!(fixture.member(person.chat).await, (vec![MEMBER], None));
    assert_eq!(process.failures(job).await, [(person.chat, "nickname_refused".to_owned())]);
    let message = process.failure_message(job).await;
    assert!(message.contains("Missing Permissions"), "{message}");
    assert!(message.contains(&format!("done: role {MEMBER} added")), "{message}");
}

#[tokio::test]
async fn a_nickname_that_fails_delays_no_roles_and_is_set_by_the_next_run() {
    let people: Vec<Person> =
        (1..=60).map(|n| Person { held: vec![], nick: None, ..Person::right(n) }).collect();
    let fixture = Fixture::new(&people).await;
    fixture.fault(UPDATE, 503, 1).await;
    let process = fixture.process().await;
    let mut chunk = chunk(&process, &people, 0);
    for member in &mut chunk.members {
        member.remove = vec![];
    }
    let job = process.enqueue(&chunk).await;
    let queue::Answer::Succeeded(result) = process.finish(job).await else { panic!("failed") };
    assert_eq!(result["failed"], 0);
    assert_eq!(result["updated"].as_i64().unwrap() + result["skipped"].as_i64().unwrap(), 60);
    assert_eq!(fixture.wrong(&people).await, 0);
    // Each role and each nickname was set once, and is told once, also where the run ended between the two.
    assert_eq!(fixture.updates().await, 120);
    let told = process.audit("sync.member").await;
    let roles = told.iter().filter_map(|entry| entry.metadata["added_roles"].as_array());
    let nicknames = told.iter().filter(|entry| entry.metadata["nickname"].is_string());
    assert_eq!((roles.map(Vec::len).sum::<usize>(), nicknames.count()), (60, 60));
}

#[tokio::test]
async fn a_fresh_plan_reads_no_member_again() {
    let people: Vec<Person> = (1..=3).map(trainee).collect();
    let fixture = Fixture::new(&people).await;
    let process = fixture.process().await;
    let result = process.succeed(&chunk(&process, &people, 0)).await;
    assert_eq!(result, json!({ "updated": 3, "failed": 0, "skipped": 0, "writes": 3 }));
    let stats = fixture.stats().await;
    assert_eq!((&stats["member_updates"], &stats["page_calls"]), (&json!(3), &json!(0)));
    assert_eq!(
        fixture.member(people[2].chat).await,
        (vec![MEMBER, DECORATION], Some(people[2].name.clone()))
    );
}

#[tokio::test]
async fn after_an_outage_only_the_remaining_members_are_changed() {
    let people: Vec<Person> = (1..=60).map(trainee).collect();
    let fixture = Fixture::new(&people).await;
    fixture.fault("PATCH /guilds/:guild/members/:user", 500, 1).await;
    let process = fixture.process().await;
    let job = process.enqueue(&chunk(&process, &people, 0)).await;
    let queue::Answer::Succeeded(result) = process.finish(job).await else { panic!("failed") };
    assert_eq!(result["failed"], 0);
    assert_eq!(result["updated"].as_i64().unwrap() + result["skipped"].as_i64().unwrap(), 60);
    assert_eq!(fixture.updates().await, 60);
    assert_eq!(fixture.wrong(&[]).await, 0);
    for person in &people {
        assert_eq!(fixture.member(person.chat).await.0, [MEMBER, DECORATION]);
    }
}
