//! Syncs of one member (docs/rules.md 5).

use entities::job::{Class, retry};
use entities::{follow, link};
use jobs::kinds::{SyncCause, SyncMember};
use queue::{Answer, Payload};
use serde_json::{Value, json};

use crate::fixture::{Fixture, bind, chat, guild_id, platforms_at, until};
use crate::people::{
    ADMIN, DECORATION, GROUP, GUILD, INTEGRATION, MEMBER, MODERATOR, OFFICER, Person, TRAINEE,
};

const UPDATE: &str = "PATCH /guilds/:guild/members/:user";
const ADD_ROLE: &str = "PUT /guilds/:guild/members/:user/roles/:role";

fn sync(person: &Person) -> SyncMember {
    SyncMember::of(guild_id(), chat(person.chat))
}

fn ids(roles: &[i64]) -> Value {
    roles.iter().map(|role| json!(role.to_string())).collect()
}

/// A member with a surplus role, one outside the bindings, a missing role and an old nickname.
fn astray() -> Person {
    Person { held: vec![TRAINEE, DECORATION], nick: Some("old".to_owned()), ..Person::right(1) }
}

#[tokio::test]
async fn one_call_sets_roles_and_nickname_and_a_second_sync_finds_nothing() {
    let person = astray();
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    let result = process.succeed(&sync(&person)).await;
    let expected = json!({
        "added_roles": ids(&[MEMBER]), "removed_roles": ids(&[TRAINEE]), "nickname_updated": true, "failed_roles": [],
    });
    assert_eq!(result, expected);
    assert_eq!(fixture.member(person.chat).await, (vec![MEMBER, DECORATION], Some(person.name.clone())));
    assert_eq!(fixture.updates().await, 1);

    let again = process.succeed(&sync(&person)).await;
    let nothing =
        json!({ "added_roles": [], "removed_roles": [], "nickname_updated": false, "failed_roles": [] });
    assert_eq!(again, nothing);
    assert_eq!(fixture.updates().await, 1);

    let audit = process.audit("sync.member").await;
    assert_eq!(
        (audit.len(), audit[0].actor_id, audit[0].target_id.clone()),
        (1, 42, person.chat.to_string())
    );
    assert_eq!(
        audit[0].metadata["before"],
        json!({ "roles": ids(&[TRAINEE, DECORATION]), "nickname": "old" })
    );
    assert_eq!(
        audit[0].metadata["after"],
        json!({ "roles": ids(&[DECORATION, MEMBER]), "nickname": person.name })
    );
}

#[tokio::test]
async fn roles_above_the_bot_are_reported_and_the_others_set() {
    let person = Person { rank: Some(255), held: vec![MEMBER], ..Person::right(1) };
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    for role in [ADMIN, INTEGRATION, GUILD + 9999, OFFICER] {
        bind(&process.context, 255, role).await;
    }
    let result = process.succeed(&sync(&person)).await;
    assert_eq!(result["added_roles"], ids(&[OFFICER]));
    assert_eq!(result["removed_roles"], ids(&[MEMBER]));
    let failed = result["failed_roles"].as_array().unwrap();
    let words: Vec<_> =
        failed.iter().map(|failed| (failed["role_id"].clone(), failed["error"].clone())).collect();
    let pair = |role: i64, word: &str| (json!(role.to_string()), json!(word));
    assert_eq!(
        words,
        [
            pair(INTEGRATION, "role_managed"),
            pair(ADMIN, "role_above_bot"),
            pair(GUILD + 9999, "unknown_role")
        ]
    );
    assert!(failed.iter().all(|failed| failed["reason"].as_str().is_some_and(|reason| !reason.is_empty())));
    assert_eq!(fixture.member(person.chat).await.0, [OFFICER]);
}

#[tokio::test]
async fn a_privileged_role_is_granted_only_if_the_guild_allows_it() {
    let person = Person { held: vec![], ..Person::right(1) };
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    bind(&process.context, 1, MODERATOR).await;
    let result = process.succeed(&sync(&person)).await;
    assert_eq!(result["added_roles"], ids(&[MEMBER]));
    let failed = &result["failed_roles"][0];
    assert_eq!(
        (&failed["role_id"], &failed["error"]),
        (&json!(MODERATOR.to_string()), &json!("role_privileged"))
    );
    assert_eq!(fixture.member(person.chat).await.0, [MEMBER]);
    fixture.allow(&process.context, &[MODERATOR]).await;
    assert_eq!(process.succeed(&sync(&person)).await["added_roles"], ids(&[MODERATOR]));
    assert_eq!(fixture.member(person.chat).await.0, [MEMBER, MODERATOR]);
}

#[tokio::test]
async fn an_unlinked_user_and_a_non_member_are_refused() {
    let unlinked = Person { linked_as: None, ..astray() };
    let gone = Person { in_guild: false, ..Person::right(2) };
    let fixture = Fixture::new(&[unlinked.clone(), gone.clone()]).await;
    let process = fixture.process().await;
    let (status, error, _) = process.fail(&sync(&unlinked)).await;
    assert_eq!((status, error.as_str()), (404, "not_linked"));
    let (status, error, _) = process.fail(&sync(&gone)).await;
    assert_eq!((status, error.as_str()), (404, "not_a_member"));
    assert_eq!(fixture.updates().await, 0);
}

#[tokio::test]
async fn a_renamed_player_is_renamed_in_link_and_nickname() {
    let person =
        Person { linked_as: Some("before".to_owned()), nick: Some("before".to_owned()), ..Person::right(1) };
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    let result = process.succeed(&sync(&person)).await;
    assert_eq!(result["nickname_updated"], true);
    assert_eq!(process.linked_name(person.chat).await, person.name);
    assert_eq!(fixture.member(person.chat).await.1, Some(person.name));
}

#[tokio::test]
async fn if_names_cannot_be_read_the_stored_name_is_used() {
    let person = Person { linked_as: Some("stored".to_owned()), ..astray() };
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    fixture.fault("POST /v1/users", 500, 1).await;
    let process = fixture.process().await;
    let result = process.succeed(&sync(&person)).await;
    assert_eq!(result["added_roles"], ids(&[MEMBER]));
    assert_eq!(fixture.member(person.chat).await.1.as_deref(), Some("stored"));
}

#[tokio::test]
async fn a_refused_nickname_delays_no_roles() {
    let person = astray();
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    fixture.fault(UPDATE, 403, 1).await;
    let process = fixture.process().await;
    let result = process.succeed(&sync(&person)).await;
    assert_eq!(result["added_roles"], ids(&[MEMBER]));
    assert_eq!(result["nickname_updated"], false);
    assert!(result["nickname_error"].as_str().unwrap().contains("Missing Permissions"), "{result}");
    assert_eq!(fixture.member(person.chat).await, (vec![MEMBER, DECORATION], Some("old".to_owned())));
    assert_eq!(process.audit("sync.member").await[0].metadata["after"]["nickname"], "old");
}

#[tokio::test]
async fn a_member_above_the_bot_gets_roles_and_no_call_for_the_nickname() {
    let person = Person { held: vec![ADMIN], nick: None, ..Person::right(1) };
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    let result = process.succeed(&sync(&person)).await;
    assert_eq!((&result["added_roles"], &result["nickname_updated"]), (&ids(&[MEMBER]), &json!(false)));
    assert!(result["nickname_error"].as_str().is_some());
    assert_eq!(fixture.stats().await["invalid"], 0);
}

#[tokio::test]
async fn a_refused_member_fails_with_the_platforms_reason() {
    let person = Person { held: vec![], ..Person::right(1) };
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    fixture.fault(ADD_ROLE, 403, 1).await;
    let (status, error, message) = fixture.process().await.fail(&sync(&person)).await;
    assert_eq!((status, error.as_str()), (502, "platform_refused"));
    assert!(message.contains("Missing Permissions"), "{message}");
}

#[tokio::test]
async fn a_refused_role_is_named_with_the_completed_ones() {
    let person = Person { held: vec![TRAINEE, DECORATION], ..Person::right(1) };
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    fixture.fault(ADD_ROLE, 403, 1).await;
    let result = fixture.process().await.succeed(&sync(&person)).await;
    assert_eq!((&result["added_roles"], &result["removed_roles"]), (&ids(&[]), &ids(&[TRAINEE])));
    let failed = &result["failed_roles"][0];
    assert_eq!(
        (&failed["role_id"], &failed["error"]),
        (&json!(MEMBER.to_string()), &json!("platform_refused"))
    );
    assert!(failed["reason"].as_str().unwrap().contains("Missing Permissions"), "{failed}");
    assert_eq!(fixture.member(person.chat).await.0, [DECORATION]);
}

#[tokio::test]
async fn one_difference_is_one_call_for_that_field_only() {
    let nickname =
        Person { nick: Some("old".to_owned()), held: vec![MEMBER, DECORATION], ..Person::right(1) };
    let extra = Person { held: vec![MEMBER, TRAINEE], ..Person::right(2) };
    let fixture = Fixture::new(&[nickname.clone(), extra.clone()]).await;
    let process = fixture.process().await;
    assert_eq!(process.succeed(&sync(&nickname)).await["nickname_updated"], true);
    assert_eq!(process.succeed(&sync(&extra)).await["removed_roles"], ids(&[TRAINEE]));
    let stats = fixture.stats().await;
    assert_eq!((&stats["member_updates"], &stats["requests"][UPDATE]), (&json!(2), &json!({ "200": 1 })));
    assert_eq!(fixture.member(nickname.chat).await, (vec![MEMBER, DECORATION], Some(nickname.name.clone())));
    assert_eq!(fixture.member(extra.chat).await.0, [MEMBER]);
}

#[tokio::test]
async fn an_outage_is_retried() {
    let person = astray();
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    fixture.fault(UPDATE, 503, 1).await;
    let process = fixture.process().await;
    let job = process.enqueue(&sync(&person)).await;
    assert!(matches!(process.finish(job).await, Answer::Succeeded(_)));
    assert_eq!(process.row(job).await.attempt, 2);
    assert_eq!(fixture.updates().await, 1);
}

#[tokio::test]
async fn a_missing_token_is_named_by_its_variable() {
    let person = astray();
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process_with(platforms_at(fixture.simulator, None)).await;
    let (status, error, message) = process.fail(&sync(&person)).await;
    assert_eq!((status, error.as_str()), (503, "platform_not_configured"));
    assert!(message.contains("GUILDHALL_CHAT_TOKEN"), "{message}");
}

#[tokio::test]
async fn a_group_that_does_not_exist_takes_no_roles_away() {
    let person = astray();
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    fixture.fault("GET /cloud/v2/groups/:group/roles", 404, 1).await;
    let (status, error, message) = fixture.process().await.fail(&sync(&person)).await;
    assert_eq!((status, error.as_str()), (422, "unknown_group"));
    assert!(message.contains(&format!("the game group {GROUP},")), "{message}");
    assert_eq!(fixture.updates().await, 0);
}

#[tokio::test]
async fn what_others_changed_is_not_repaired_once_somebody_stopped_that() {
    let person = astray();
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    let (conn, now) = (process.context.database.write(), process.context.clock.now());
    let row = follow::lock(conn, guild_id(), now).await.unwrap();
    let stopped = Some("sync 1 was undone".to_owned());
    follow::save(conn, follow::Model { stopped, ..row.clone() }).await.unwrap();
    let changed = SyncMember { cause: Some(SyncCause::Changed), ..sync(&person) };
    process.succeed(&changed).await;
    assert_eq!(fixture.updates().await, 0);
    follow::save(conn, row).await.unwrap();
    process.succeed(&changed).await;
    assert_eq!(fixture.updates().await, 1);
}

#[tokio::test]
async fn a_second_repair_waits_in_its_class_and_ends_with_the_link() {
    let person = astray();
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    let changed = SyncMember { cause: Some(SyncCause::Changed), ..sync(&person) };
    process.succeed(&changed).await;
    let bare = json!({ "guild_id": GUILD.to_string(), "chat_id": person.chat.to_string(), "roles": [] });
    fixture.change_member(bare).await;
    let job = process.enqueue(&changed).await;
    until("the second one waits", async || process.row(job).await.error.is_some()).await;
    assert_eq!(process.row(job).await.class, Class::Default);
    let (conn, now) = (process.context.database.write(), process.context.clock.now());
    link::delete(conn, guild_id(), &[chat(person.chat)]).await.unwrap();
    let due = retry::make_due(conn, job, now).await.unwrap().unwrap();
    process.queue.publish([due.message()]);
    assert!(matches!(process.finish(job).await, Answer::Succeeded(_)));
    assert_eq!(fixture.updates().await, 1);
}

#[tokio::test]
async fn a_rank_change_moves_the_role() {
    let person = Person::right(1);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    fixture.change_member(json!({ "group_id": GROUP, "play_id": person.play, "ranks": [50, 100] })).await;
    let result = process.succeed(&sync(&person)).await;
    assert_eq!(result["added_roles"], ids(&[TRAINEE, OFFICER]));
    assert_eq!(result["removed_roles"], ids(&[MEMBER]));
    assert_eq!(SyncMember::KIND, "sync_member");
}
