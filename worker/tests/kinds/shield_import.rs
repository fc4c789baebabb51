//! Imports of flagged users (docs/rules.md 9).

use std::sync::Arc;
use std::time::Duration;

use entities::shield_flag::{self, Model};
use entities::{Page, PlayId, guild};
use jobs::kinds::{ShieldImport, ToFlag};
use queue::{Answer, Payload};
use serde_json::{Value, json};

use crate::crashes::Mortal;
use crate::fixture::{Fixture, chat, guild_id, until};
use crate::people::{Person, crowd};
use crate::process::Process;

fn to_flag(play: i64, reason: &str) -> ToFlag {
    ToFlag { play_id: PlayId::try_from(play).unwrap(), reason: reason.to_owned() }
}

fn import(users: Vec<ToFlag>) -> ShieldImport {
    ShieldImport { guild: guild_id(), by: chat(42), users }
}

fn all(people: &[Person]) -> Vec<ToFlag> {
    people.iter().map(|person| to_flag(person.play, "exploiting")).collect()
}

impl Process {
    async fn allow(&self, allowed: bool) {
        guild::allow_shield(self.context.database.write(), guild_id(), allowed).await.unwrap();
    }

    async fn flags(&self) -> Vec<Model> {
        shield_flag::list(self.context.database.read(), None, Page::first(100_000)).await.unwrap()
    }

    /// The number of audit entries and the sum of their counts.
    async fn audited(&self) -> (usize, i64) {
        let entries = self.audit("shield.import").await;
        let sum = entries.iter().map(|entry| entry.metadata["imported"].as_i64().unwrap()).sum();
        (entries.len(), sum)
    }
}

#[tokio::test]
async fn flagged_repeated_and_unknown_users_are_skipped() {
    let people = crowd(5);
    let fixture = Fixture::new(&people).await;
    let process = fixture.process().await;
    process.allow(true).await;
    let result = process.succeed(&import(vec![to_flag(people[0].play, "first")])).await;
    assert_eq!(result, json!({ "imported": 1, "skipped": 0, "skipped_users": [] }));
    let second = |n: usize| to_flag(people[n].play, "second");
    let mut users = vec![second(0), second(1), to_flag(people[1].play, "third"), second(2)];
    users.push(to_flag(999_999_999, "nobody"));
    let result = process.succeed(&import(users.clone())).await;
    let why = |reasons: &[(i64, &str)]| -> Vec<Value> {
        reasons.iter().map(|(play, why)| json!({ "play_id": play.to_string(), "reason": why })).collect()
    };
    let skipped = why(&[
        (people[0].play, "already_flagged"),
        (people[1].play, "repeated"),
        (999_999_999, "unknown_user"),
    ]);
    assert_eq!(result, json!({ "imported": 2, "skipped": 3, "skipped_users": skipped }));
    let result = process.succeed(&import(users)).await;
    assert_eq!((&result["imported"], &result["skipped"]), (&json!(0), &json!(5)));

    let mut flags = process.flags().await;
    flags.sort_by_key(|flag| flag.play_id);
    let seen: Vec<_> = flags.iter().map(|flag| (flag.play_username.as_str(), flag.reason.as_str())).collect();
    assert_eq!(seen, [("player_0", "first"), ("player_1", "second"), ("player_2", "second")]);
    let flag = &flags[0];
    assert_eq!((flag.flagged_by, flag.flagged_by_guild), (chat(42), Some(guild_id())));
    assert_eq!((flag.source.as_str(), flag.lifted_at), ("import", None));
    // The import that wrote no flag has no entry.
    assert_eq!(process.audited().await, (2, 3));
}

#[tokio::test]
async fn a_guild_that_is_not_on_the_allowlist_imports_nothing() {
    let people = crowd(1);
    let fixture = Fixture::new(&people).await;
    let process = fixture.process().await;
    let (status, error, _) = process.fail(&import(all(&people))).await;
    assert_eq!((status, error.as_str()), (403, "not_on_allowlist"));
    assert!(process.flags().await.is_empty());
}

#[tokio::test]
async fn an_import_without_names_writes_nothing_and_is_retried() {
    let people = crowd(3);
    let fixture = Fixture::new(&people).await;
    let process = fixture.process().await;
    process.allow(true).await;
    fixture.fault("*", 500, 1).await;
    let job = process.enqueue(&import(all(&people))).await;
    until("a failed try", async || {
        process.row(job).await.attempt == 1 && process.row(job).await.error.is_some()
    })
    .await;
    assert!(process.flags().await.is_empty());
    let Answer::Succeeded(result) = process.finish(job).await else { panic!("failed") };
    assert_eq!(result, json!({ "imported": 3, "skipped": 0, "skipped_users": [] }));
    assert_eq!(process.row(job).await.attempt, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_of_a_killed_worker_continues_from_its_last_batch() {
    let people = crowd(4_500);
    let fixture = Arc::new(Fixture::slow(&people, Duration::from_millis(40)).await);
    let mortal = Mortal::start(&fixture).await;
    mortal.process.allow(true).await;
    let mut users = all(&people);
    // A user of an earlier batch, and an unknown one.
    users.push(to_flag(people[0].play, "again"));
    users.push(to_flag(999_999_999, "nobody"));
    let job = mortal.process.enqueue(&import(users)).await;
    until("a thousand", async || mortal.process.row(job).await.checkpoint.is_some()).await;
    mortal.kill();

    let process = fixture.process().await;
    let kept = process.row(job).await;
    let flags = i64::try_from(process.flags().await.len()).unwrap();
    let checkpoint = kept.checkpoint.unwrap();
    assert_eq!(checkpoint["imported"], flags, "flags and counts are one transaction");
    assert!(flags < 4_500, "the kill came too late");
    let Answer::Succeeded(result) = process.finish(job).await else { panic!("failed") };
    assert_eq!((&result["imported"], &result["skipped"]), (&json!(4_500), &json!(2)));
    assert_eq!(result["skipped_users"][0]["reason"], "repeated");
    assert_eq!(result["skipped_users"][1]["reason"], "unknown_user");
    assert_eq!(process.flags().await.len(), 4_500);
    assert_eq!(process.audited().await, (5, 4_500));
    let row = process.row(job).await;
    assert_eq!((row.progress_done, row.progress_total), (4_502, 4_502));
    // Lists of jobs omit the arguments.
    let listed = entities::job::listing::list(
        process.context.database.read(),
        entities::job::listing::Filter { kind: Some(ShieldImport::KIND), ..Default::default() },
        Page::first(10),
        process.context.clock.now(),
    );
    let listed = listed.await.unwrap();
    assert_eq!((listed[0].job_id, listed[0].result.clone(), &listed[0].args), (job, row.result, &json!({})));
}
