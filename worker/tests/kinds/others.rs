//! Changes by other clients during a sync of the whole guild are not undone (docs/rules.md 5).

use std::collections::BTreeMap;
use std::time::Duration;

use platforms::{CallContext, ChatPlatform};
use queue::Answer;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::fixture::{Fixture, chat, guild_id, platforms_at, role};
use crate::people::{DECORATION, MEMBER, Person, TRAINEE};
use crate::sync_all::everybody;

const MEMBERS: i64 = 10_000;
/// Clients that change roles, each of different members.
const OTHERS: i64 = 4;

/// A member with a wrong role, nickname, two roles, or role and nickname.
fn astray(n: i64) -> Person {
    let right = Person::right(n);
    match n % 4 {
        0 => Person { held: vec![], ..right },
        1 => Person { nick: Some("old".to_owned()), ..right },
        2 => Person { held: vec![TRAINEE], ..right },
        _ => Person { held: vec![], nick: None, ..right },
    }
}

/// Assigns and removes a role without a binding, of random members, until `stop`. Returns whether each should hold it.
async fn interfere(chat_platform: &ChatPlatform, who: i64, stop: &CancellationToken) -> BTreeMap<i64, bool> {
    let (call, decoration) = (CallContext::interactive(guild_id()), role(DECORATION));
    let (mut changed, mut random) = (BTreeMap::new(), u64::try_from(who).unwrap());
    while !stop.is_cancelled() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = i64::try_from((random >> 33) % u64::try_from(MEMBERS / OTHERS).unwrap()).unwrap();
        let member = Person::right(drawn * OTHERS + who).chat;
        let held = changed.entry(member).or_insert(false);
        if *held {
            chat_platform.remove_role(call, chat(member), decoration, "by hand").await.unwrap();
        } else {
            chat_platform.add_role(call, chat(member), decoration, "by hand").await.unwrap();
        }
        *held = !*held;
    }
    changed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_by_others_during_a_sync_of_10_000_members_are_kept() {
    let people: Vec<Person> = (0..MEMBERS).map(astray).collect();
    let fixture = Fixture::new(&people).await;
    let process = fixture.process().await;
    let stop = CancellationToken::new();
    let interfering = (0..OTHERS).map(|who| {
        let (stop, others) = (stop.clone(), platforms_at(fixture.simulator, Some("token")));
        tokio::spawn(async move { interfere(others.chat.as_ref(), who, &stop).await })
    });
    let interfering: Vec<_> = interfering.collect();
    let job = process.enqueue(&everybody()).await;
    let answer = process.finish_within(job, Duration::from_secs(300)).await;
    stop.cancel();
    let Answer::Succeeded(result) = answer else { panic!("{answer:?}") };
    assert_eq!((&result["planned"], &result["failed"]), (&json!(MEMBERS), &json!(0)), "{result}");
    let mut changed = 0;
    for task in interfering {
        for (member, held) in task.await.unwrap() {
            let expected = if held { vec![MEMBER, DECORATION] } else { vec![MEMBER] };
            assert_eq!(fixture.member(member).await.0, expected, "of member {member}");
            changed += 1;
        }
    }
    assert!(changed >= 500, "others changed only {changed} members");
}
