//! Chunks on their own: old plans, fresh plans, outages.

use queue::kinds::{PlannedChange, SyncChunk};
use serde_json::json;

use crate::fixture::{DECORATION, GUILD, MEMBER, OFFICER, Person, TRAINEE};
use crate::world::{Process, World, chat, guild_id, role};

/// Gives the role of rank 1 and takes the one of rank 50.
fn planned(person: &Person) -> PlannedChange {
    PlannedChange {
        user: chat(person.chat),
        held: person.held.iter().copied().map(role).collect(),
        add: vec![role(MEMBER)],
        remove: vec![role(TRAINEE)],
        nick: Some(person.name.clone()),
    }
}

fn chunk(process: &Process, people: &[Person], age: i64) -> SyncChunk {
    let planned_at = process.context.clock.now().timestamp() - age;
    SyncChunk { guild: guild_id(), members: people.iter().map(planned).collect(), planned_at }
}

fn trainee(n: i64) -> Person {
    Person { held: vec![TRAINEE, DECORATION], nick: None, ..Person::right(n) }
}

#[tokio::test]
async fn an_old_plan_keeps_what_moderators_did_since_and_skips_what_is_done() {
    let people: Vec<Person> = (1..=4).map(trainee).collect();
    let world = World::new(&people).await;
    let process = world.process().await;
    let change = |n: usize, roles: &[i64], nick: Option<&str>| {
        let roles: Vec<String> = roles.iter().map(ToString::to_string).collect();
        let (guild, chat) = (GUILD.to_string(), people[n].chat.to_string());
        json!({ "guild_id": guild, "chat_id": chat, "roles": roles, "nick": nick })
    };
    world.change_member(change(1, &[OFFICER], None)).await;
    world.change_member(change(2, &[MEMBER], Some(&people[2].name))).await;
    world
        .change_member(
            json!({ "guild_id": GUILD.to_string(), "chat_id": people[3].chat.to_string(), "remove": true }),
        )
        .await;
    let chunk = chunk(&process, &people, 120);
    let job = process.enqueue(&chunk).await;
    let answer = process.finish(job).await;
    assert_eq!(answer, queue::Answer::Succeeded(json!({ "updated": 2, "failed": 1, "skipped": 1 })));
    assert_eq!(world.member(people[0].chat).await.0, [MEMBER, DECORATION]);
    assert_eq!(world.member(people[1].chat).await.0, [MEMBER, OFFICER]);
    let stats = world.stats().await;
    assert_eq!((&stats["member_updates"], &stats["page_calls"]), (&json!(2), &json!(1)));
    assert_eq!(process.failures(job).await, [(people[3].chat, "not_a_member".to_owned())]);
}

#[tokio::test]
async fn a_fresh_plan_needs_no_further_look() {
    let people: Vec<Person> = (1..=3).map(trainee).collect();
    let world = World::new(&people).await;
    let process = world.process().await;
    let result = process.succeed(&chunk(&process, &people, 0)).await;
    assert_eq!(result, json!({ "updated": 3, "failed": 0, "skipped": 0 }));
    let stats = world.stats().await;
    assert_eq!((&stats["member_updates"], &stats["page_calls"]), (&json!(3), &json!(0)));
    assert_eq!(world.member(people[2].chat).await, (vec![MEMBER, DECORATION], Some(people[2].name.clone())));
}

#[tokio::test]
async fn an_outage_repeats_only_what_is_left() {
    let people: Vec<Person> = (1..=60).map(trainee).collect();
    let world = World::new(&people).await;
    world.fault("PATCH /guilds/:guild/members/:user", 500, 1).await;
    let process = world.process().await;
    let job = process.enqueue(&chunk(&process, &people, 0)).await;
    let queue::Answer::Succeeded(result) = process.finish(job).await else { panic!("failed") };
    assert_eq!(result["failed"], 0);
    assert_eq!(result["updated"].as_i64().unwrap() + result["skipped"].as_i64().unwrap(), 60);
    assert_eq!(world.updates().await, 60);
    assert_eq!(world.wrong(&[]).await, 0);
    for person in &people {
        assert_eq!(world.member(person.chat).await.0, [MEMBER, DECORATION]);
    }
}
