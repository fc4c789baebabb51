//! Syncs of a whole guild: plan, chunks, dry run, limit of removals, cancel, and failed members (docs/rules.md 5).

use std::time::Duration;

use entities::job::State;
use jobs::bulk_sync::SyncAll;
use queue::Answer;
use runtime::Events;
use serde_json::{Value, json};

use crate::fixture::{Fixture, bind, guild_id, until};
use crate::people::{ADMIN, GROUP, MEMBER, MODERATOR, Person, TRAINEE, crowd};
use crate::process::Process;

const UPDATE: &str = "PATCH /guilds/:guild/members/:user";
const ADD_ROLE: &str = "PUT /guilds/:guild/members/:user/roles/:role";

pub(crate) fn everybody() -> SyncAll {
    SyncAll::of(guild_id())
}

pub(crate) fn lacking(n: i64) -> Person {
    Person { held: vec![], ..Person::right(n) }
}

fn numbers(result: &Value, names: &[&str]) -> Vec<i64> {
    names.iter().map(|name| result[name].as_i64().unwrap_or_else(|| panic!("{name} in {result}"))).collect()
}

async fn wait_for_updates(fixture: &Fixture, count: u64) {
    until("updates", async || fixture.updates().await >= count).await;
}

#[tokio::test]
async fn of_500_members_200_are_changed_with_one_call_each_and_then_none() {
    let people = crowd(500);
    let fixture = Fixture::new(&people).await;
    let process = fixture.process().await;
    let job = process.enqueue(&everybody()).await;
    let Answer::Succeeded(result) = process.finish(job).await else { panic!("failed") };
    let names = ["members", "unchanged", "planned", "updated", "failed", "skipped", "not_in_guild"];
    assert_eq!(numbers(&result, &names), [500, 300, 200, 200, 0, 0, 0]);
    let planned = ["role_additions", "role_removals", "nicknames", "members_refused"];
    assert_eq!(numbers(&result, &planned), [125, 50, 25, 0]);
    let stats = fixture.stats().await;
    assert_eq!((&stats["member_updates"], &stats["page_calls"]), (&json!(200), &json!(1)));
    assert_eq!(fixture.wrong(&people).await, 0);
    let row = process.row(job).await;
    assert_eq!((row.progress_done, row.progress_total, row.progress_failed), (500, 500, 0));
    let checkpoint = row.checkpoint.unwrap();
    assert_eq!(checkpoint["base"], 300);
    assert!(checkpoint["since_ms"].as_i64().unwrap() > 0);

    let again = process.succeed(&everybody()).await;
    assert_eq!(numbers(&again, &names), [500, 500, 0, 0, 0, 0, 0]);
    assert_eq!(fixture.updates().await, 200);
    assert_eq!(process.audit("job.finished").await.len(), 2);
    let told = process.audit("sync.member").await;
    assert_eq!(told.len(), 200, "one entry for each changed member");
    assert!(told.iter().all(|entry| entry.metadata["cause"] == "sync_all"), "{:?}", told[0]);
}

#[tokio::test]
async fn a_dry_run_shows_what_would_change_and_writes_nothing() {
    let people = crowd(500);
    let fixture = Fixture::new(&people).await;
    let process = fixture.process().await;
    let dry_run = SyncAll { dry_run: true, max_removals: Some(49), ..everybody() };
    let job = process.enqueue(&dry_run).await;
    let Answer::Succeeded(result) = process.finish(job).await else { panic!("failed") };
    let names = ["members", "planned", "role_additions", "role_removals", "nicknames"];
    assert_eq!(numbers(&result, &names), [500, 200, 125, 50, 25]);
    assert_eq!((&result["dry_run"], &result["too_many_removals"]), (&json!(true), &json!(true)));
    let sample = result["sample"].as_array().unwrap();
    assert_eq!(sample.len(), 200);
    let first = json!({
        "chat_id": people[60].chat.to_string(), "add": [MEMBER.to_string()], "remove": [], "nickname": null,
        "ranks": [{ "group_id": GROUP, "ranks": [1] }],
        "bindings": [{ "role_id": MEMBER.to_string(), "binding_ids": [1] }],
    });
    assert_eq!(sample[0], first);
    assert!(process.chunks(job).await.is_empty());
    assert_eq!(fixture.updates().await, 0);
}

#[tokio::test]
async fn too_many_removals_stop_the_sync_before_its_first_change() {
    let fixture = Fixture::new(&crowd(2_100)).await;
    let process = fixture.process().await;
    let job = process.enqueue(&SyncAll { max_removals: Some(209), ..everybody() }).await;
    let Answer::Failed(failure) = process.finish(job).await else { panic!("not stopped") };
    assert_eq!((failure.status, failure.error.as_str()), (422, "too_many_removals"));
    assert!(failure.message.contains("210") && failure.message.contains("209"), "{}", failure.message);
    let chunks = process.chunks(job).await;
    assert!(!chunks.is_empty() && chunks.iter().all(|chunk| chunk.state == State::Cancelled));
    assert_eq!(fixture.updates().await, 0);

    let result = process.succeed(&SyncAll { max_removals: Some(210), ..everybody() }).await;
    assert_eq!(numbers(&result, &["updated", "role_removals"]), [840, 210]);
}

pub(crate) async fn cancel(process: &Process, job: entities::JobId) {
    let transaction = process.context.database.begin().await.unwrap();
    let (_, event) = process.queue.cancel(&transaction, job).await.unwrap().unwrap();
    let recorded = Events::record(&transaction, [event], process.context.clock.now()).await.unwrap();
    transaction.commit().await.unwrap();
    process.context.events.publish(recorded);
}

#[tokio::test]
async fn a_cancelled_sync_stops_at_the_next_member() {
    let people = crowd(1_500);
    let fixture = Fixture::slow(&people, Duration::from_millis(20)).await;
    let process = fixture.process().await;
    let job = process.enqueue(&everybody()).await;
    wait_for_updates(&fixture, 20).await;
    cancel(&process, job).await;
    assert_eq!(process.finish(job).await, Answer::Cancelled);
    let updates = fixture.updates().await;
    assert!((20..600).contains(&updates), "{updates}");
    let chunks = process.chunks(job).await;
    assert!(chunks.iter().all(|chunk| !chunk.state.is_open()));
    // The changes made are counted, and a second sync makes the others.
    let done: u64 = chunks.iter().map(|chunk| u64::try_from(chunk.progress_done).unwrap()).sum();
    assert_eq!(done, updates);
    let result = process.succeed(&everybody()).await;
    assert_eq!(numbers(&result, &["updated"]), [600 - i64::try_from(updates).unwrap()]);
    assert_eq!(fixture.wrong(&people).await, 0);
}

#[tokio::test]
async fn a_sync_cancelled_while_it_plans_leaves_no_open_chunk() {
    let fixture = Fixture::slow(&crowd(3_500), Duration::from_millis(20)).await;
    let process = fixture.process().await;
    let job = process.enqueue(&everybody()).await;
    until("a page", async || process.row(job).await.checkpoint.is_some()).await;
    cancel(&process, job).await;
    assert_eq!(process.finish(job).await, Answer::Cancelled);
    assert!(process.chunks(job).await.iter().all(|chunk| chunk.state == State::Cancelled));
    assert_eq!(fixture.updates().await, 0);
}

#[tokio::test]
async fn a_failed_plan_leaves_no_open_chunk_and_a_retry_plans_again() {
    let people = crowd(5_500);
    let fixture = Fixture::slow(&people, Duration::from_millis(20)).await;
    let process = fixture.process().await;
    let job = process.enqueue(&everybody()).await;
    until("a chunk", async || !process.chunks(job).await.is_empty()).await;
    fixture.fault("GET /guilds/:guild/members", 401, 1).await;
    let Answer::Failed(failure) = process.finish(job).await else { panic!("goes on") };
    assert_eq!(failure.error, "platform_unauthorized");
    let chunks = process.chunks(job).await;
    assert!(!chunks.is_empty() && chunks.iter().all(|chunk| chunk.state == State::Cancelled));
    assert_eq!(fixture.updates().await, 0);

    let (conn, now) = (process.context.database.write(), process.context.clock.now());
    let row = entities::job::retry::restart(conn, job, now).await.unwrap().unwrap();
    process.queue.publish([row.message()]);
    let Answer::Succeeded(result) = process.finish(job).await else { panic!("failed again") };
    assert_eq!(numbers(&result, &["members", "planned", "updated"]), [5_500, 2_200, 2_200]);
}

#[tokio::test]
async fn a_guild_without_bindings_needs_no_call() {
    let fixture = Fixture::new(&[lacking(1), lacking(2)]).await;
    let process = fixture.process().await;
    fixture.set_template(&process.context, "").await;
    for binding in entities::binding::list(process.context.database.read(), guild_id()).await.unwrap() {
        entities::binding::delete(process.context.database.write(), guild_id(), binding.id).await.unwrap();
    }
    let job = process.enqueue(&everybody()).await;
    let Answer::Succeeded(result) = process.finish(job).await else { panic!("failed") };
    assert_eq!(numbers(&result, &["members", "planned", "updated"]), [2, 0, 0]);
    assert_eq!(fixture.stats().await["chat_requests"], 0);
    assert_eq!((process.row(job).await.progress_done, process.row(job).await.progress_total), (2, 2));
}

#[tokio::test]
async fn failed_members_are_named_and_the_others_changed() {
    let people: Vec<Person> = (1..=20).map(lacking).collect();
    let fixture = Fixture::new(&people).await;
    fixture.fault(ADD_ROLE, 403, 1).await;
    fixture.fault(ADD_ROLE, 404, 1).await;
    let process = fixture.process().await;
    let job = process.enqueue(&everybody()).await;
    let Answer::Succeeded(result) = process.finish(job).await else { panic!("failed") };
    assert_eq!(numbers(&result, &["planned", "updated", "failed"]), [20, 18, 2]);
    let failures = process.failures(job).await;
    let mut words: Vec<&str> = failures.iter().map(|(_, word)| word.as_str()).collect();
    words.sort_unstable();
    assert_eq!(words, ["not_a_member", "platform_refused"]);
    for person in &people {
        let failed = failures.iter().any(|(chat, _)| *chat == person.chat);
        assert_eq!(fixture.member(person.chat).await.0.is_empty(), failed);
    }
    let row = process.row(job).await;
    assert_eq!((row.progress_done, row.progress_failed), (20, 2));
}

#[tokio::test]
async fn three_refusals_in_a_row_stop_the_guilds_sync() {
    let people: Vec<Person> = (1..=450).map(lacking).collect();
    let fixture = Fixture::new(&people).await;
    fixture.fault(ADD_ROLE, 403, 1_000).await;
    let process = fixture.process().await;
    let job = process.enqueue(&everybody()).await;
    let Answer::Failed(failure) = process.finish(job).await else { panic!("goes on") };
    assert_eq!(failure.error, "permission_missing");
    assert!(failure.message.contains(&MEMBER.to_string()), "{}", failure.message);
    // Two chunks run at a time.
    let refused = fixture.stats().await["invalid"].as_u64().unwrap();
    assert!((3..=6).contains(&refused), "{refused}");
    assert!(process.chunks(job).await.iter().all(|chunk| !chunk.state.is_open()));
}

#[tokio::test]
async fn a_role_above_the_bot_is_in_the_result_and_under_each_member() {
    let people = [lacking(1), Person { held: vec![MEMBER], ..Person::right(2) }, Person::right(3)];
    let fixture = Fixture::new(&people).await;
    let process = fixture.process().await;
    bind(&process.context, 1, ADMIN).await;
    let job = process.enqueue(&everybody()).await;
    let Answer::Succeeded(result) = process.finish(job).await else { panic!("failed") };
    assert_eq!(numbers(&result, &["updated", "unchanged", "members_refused", "failed"]), [1, 2, 3, 0]);
    let role = &result["ungrantable_roles"][0];
    assert_eq!((&role["role_id"], &role["error"]), (&json!(ADMIN.to_string()), &json!("role_above_bot")));
    assert_eq!(role["members"], 3);
    let failures = process.failures(job).await;
    assert_eq!(failures.len(), 3);
    assert!(failures.iter().all(|(_, word)| word == "role_not_grantable"));
    assert_eq!(fixture.stats().await["invalid"], 0);
}

#[tokio::test]
async fn a_privileged_role_is_in_the_result_and_given_to_no_member() {
    let people = [lacking(1), Person::right(2)];
    let fixture = Fixture::new(&people).await;
    let process = fixture.process().await;
    bind(&process.context, 1, MODERATOR).await;
    let preview = process.succeed(&SyncAll { dry_run: true, ..everybody() }).await;
    let job = process.enqueue(&everybody()).await;
    let Answer::Succeeded(result) = process.finish(job).await else { panic!("failed") };
    for result in [&preview, &result] {
        let role = &result["ungrantable_roles"][0];
        assert_eq!(
            (&role["role_id"], &role["error"]),
            (&json!(MODERATOR.to_string()), &json!("role_privileged"))
        );
        assert_eq!((&result["role_additions"], &role["members"]), (&json!(1), &json!(2)));
    }
    assert_eq!(fixture.member(people[0].chat).await.0, [MEMBER]);
    assert_eq!(fixture.member(people[1].chat).await.0, [MEMBER]);
}

#[tokio::test]
async fn names_are_refreshed_and_users_who_left_are_counted() {
    let renamed =
        Person { linked_as: Some("before".to_owned()), nick: Some("before".to_owned()), ..Person::right(1) };
    let gone = Person { in_guild: false, ..Person::right(2) };
    let unlinked = Person { linked_as: None, held: vec![TRAINEE], ..Person::right(3) };
    let fixture = Fixture::new(&[renamed.clone(), gone, unlinked.clone()]).await;
    let process = fixture.process().await;
    let result = process.succeed(&everybody()).await;
    assert_eq!(numbers(&result, &["members", "updated", "not_in_guild"]), [1, 1, 1]);
    assert_eq!(process.linked_name(renamed.chat).await, renamed.name);
    assert_eq!(fixture.member(renamed.chat).await.1, Some(renamed.name));
    assert_eq!(fixture.member(unlinked.chat).await.0, [TRAINEE]);
}

#[tokio::test]
async fn a_retried_plan_succeeds() {
    let fixture = Fixture::new(&crowd(100)).await;
    fixture.fault("GET /guilds/:guild/members", 502, 1).await;
    fixture.fault(UPDATE, 500, 1).await;
    let process = fixture.process().await;
    let job = process.enqueue(&everybody()).await;
    let Answer::Succeeded(result) = process.finish(job).await else { panic!("failed") };
    assert_eq!(numbers(&result, &["planned", "failed"]), [40, 0]);
    assert_eq!(fixture.updates().await, 40);
    let row = process.row(job).await;
    assert_eq!((row.progress_done, row.progress_failed, row.error), (100, 0, None));
}

#[tokio::test]
async fn each_page_of_1000_members_is_read_once() {
    let people = crowd(2_300);
    let fixture = Fixture::new(&people).await;
    let process = fixture.process().await;
    let result = process.succeed(&everybody()).await;
    assert_eq!(numbers(&result, &["members", "updated"]), [2_300, 920]);
    let stats = fixture.stats().await;
    assert_eq!((&stats["member_updates"], &stats["page_calls"]), (&json!(920), &json!(3)));
}
