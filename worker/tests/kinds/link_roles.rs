//! The roles of linked and of unlinked members (docs/rules.md 5 and 11) in each kind of job that gives or takes them.

use entities::{PlayId, binding, guild, link};
use jobs::bulk_sync::SyncAll;
use jobs::kinds::{AssignRole, GreetMember, RemoveRole, SyncMember, UnlinkMember};
use serde_json::json;
use testkit::guild_row;

use crate::fixture::{Fixture, chat, guild_id, role, until};
use crate::people::{DECORATION, MEMBER, MODERATOR, NEWCOMER, Person, TRAINEE, VERIFIED};
use crate::process::Process;

fn newcomer(n: i64) -> Person {
    Person { held: vec![NEWCOMER, DECORATION], ..Person::right(n) }
}

/// Gives the guild these two roles, and no nicknames.
async fn set(process: &Process, verified: Option<i64>, unverified: Option<i64>) {
    let row = guild::Model {
        verified_role: verified.map(role),
        unverified_role: unverified.map(role),
        nickname_template: String::new(),
        ..guild_row(guild_id(), process.context.clock.now())
    };
    guild::upsert(process.context.database.write(), row).await.unwrap();
}

async fn remove_bindings(process: &Process) {
    let conn = process.context.database.write();
    for row in binding::list(conn, guild_id()).await.unwrap() {
        binding::delete(conn, guild_id(), row.id).await.unwrap();
    }
}

pub(crate) fn sync(person: &Person) -> SyncMember {
    SyncMember::of(guild_id(), chat(person.chat))
}

/// The end of a person's link, as `jobs::linking` describes it.
fn unlinked(person: &Person, roles: &[i64]) -> UnlinkMember {
    UnlinkMember {
        guild: guild_id(),
        user: chat(person.chat),
        play: PlayId::try_from(person.play).unwrap(),
        play_username: person.name.clone(),
        roles: roles.iter().copied().map(role).collect(),
        nickname_template: String::new(),
        erased: false,
    }
}

#[tokio::test]
async fn a_sync_gives_the_verified_role_and_takes_the_unverified_one() {
    let person = newcomer(1);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    set(&process, Some(VERIFIED), Some(NEWCOMER)).await;
    let result = process.succeed(&sync(&person)).await;
    assert_eq!(result["added_roles"], json!([MEMBER.to_string(), VERIFIED.to_string()]));
    assert_eq!(result["removed_roles"], json!([NEWCOMER.to_string()]));
    assert_eq!(fixture.member(person.chat).await.0, [MEMBER, DECORATION, VERIFIED]);
    assert_eq!(process.succeed(&sync(&person)).await["added_roles"], json!([]));
    // A role that is no longer set stays as it is.
    set(&process, None, Some(VERIFIED)).await;
    process.succeed(&sync(&person)).await;
    assert_eq!(fixture.member(person.chat).await.0, [MEMBER, DECORATION]);
}

#[tokio::test]
async fn two_differences_are_single_calls_for_these_roles_too() {
    let person = Person { held: vec![MEMBER, NEWCOMER], ..Person::right(1) };
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    set(&process, Some(VERIFIED), Some(NEWCOMER)).await;
    process.succeed(&sync(&person)).await;
    assert_eq!(fixture.member(person.chat).await.0, [MEMBER, VERIFIED]);
}

#[tokio::test]
async fn a_privileged_verified_role_is_given_only_if_it_is_allowed() {
    let person = Person::right(1);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    set(&process, Some(MODERATOR), None).await;
    let result = process.succeed(&sync(&person)).await;
    assert_eq!(result["failed_roles"][0]["error"], "role_privileged", "{result}");
    assert_eq!(fixture.member(person.chat).await.0, [MEMBER]);
}

#[tokio::test]
async fn a_guild_without_bindings_syncs_all_its_linked_members() {
    let people: Vec<Person> = (1..=30).map(newcomer).collect();
    let stranger = Person { linked_as: None, ..newcomer(40) };
    let mut all = people.clone();
    all.push(stranger.clone());
    let fixture = Fixture::new(&all).await;
    let process = fixture.process().await;
    remove_bindings(&process).await;
    set(&process, Some(VERIFIED), Some(NEWCOMER)).await;
    let bulk = SyncAll::of(guild_id());
    let result = process.succeed(&bulk).await;
    assert_eq!((&result["updated"], &result["role_additions"]), (&json!(30), &json!(30)), "{result}");
    for person in &people {
        assert_eq!(fixture.member(person.chat).await.0, [DECORATION, VERIFIED]);
    }
    assert_eq!(fixture.member(stranger.chat).await.0, [DECORATION, NEWCOMER]);
    let again = process.succeed(&bulk).await;
    assert_eq!((&again["members"], &again["planned"]), (&json!(30), &json!(0)), "{again}");
}

#[tokio::test]
async fn the_end_of_a_link_takes_the_verified_role_and_gives_the_unverified_one() {
    let person =
        Person { held: vec![MEMBER, TRAINEE, DECORATION, VERIFIED], linked_as: None, ..Person::right(1) };
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    set(&process, Some(VERIFIED), Some(NEWCOMER)).await;
    let ended = unlinked(&person, &[MEMBER, TRAINEE, VERIFIED]);
    let result = process.succeed(&ended).await;
    assert_eq!(result["added_roles"], json!([NEWCOMER.to_string()]), "{result}");
    assert_eq!(fixture.member(person.chat).await.0, [DECORATION, NEWCOMER]);
    let again = process.succeed(&ended).await;
    assert_eq!((&again["added_roles"], &again["removed_roles"]), (&json!([]), &json!([])), "{again}");
}

#[tokio::test]
async fn a_bound_role_that_is_the_unverified_one_stays_at_the_end_of_a_link() {
    let person = Person { held: vec![VERIFIED], linked_as: None, ..Person::right(1) };
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    set(&process, Some(VERIFIED), Some(TRAINEE)).await;
    process.succeed(&unlinked(&person, &[MEMBER, TRAINEE, VERIFIED])).await;
    assert_eq!(fixture.member(person.chat).await.0, [TRAINEE]);
}

#[tokio::test]
async fn whoever_is_linked_again_is_no_newcomer() {
    let person = newcomer(1);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    set(&process, Some(VERIFIED), Some(NEWCOMER)).await;
    process.succeed(&unlinked(&person, &[VERIFIED])).await;
    assert_eq!(fixture.member(person.chat).await.0, [MEMBER, DECORATION, VERIFIED]);
}

#[tokio::test]
async fn a_change_by_hand_says_that_the_next_sync_undoes_it() {
    let person = Person { held: vec![MEMBER, VERIFIED], ..Person::right(1) };
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    set(&process, Some(VERIFIED), Some(NEWCOMER)).await;
    let (guild, user) = (guild_id(), chat(person.chat));
    let assign = |id| AssignRole { guild, user, role: role(id), by: None };
    let remove = |id| RemoveRole { guild, user, role: role(id), by: None };
    let said = process.succeed(&assign(NEWCOMER)).await["message"].to_string();
    assert!(said.contains("the next sync takes it away, because linked members do not have it"), "{said}");
    let said = process.succeed(&remove(VERIFIED)).await["message"].to_string();
    assert!(said.contains("the next sync gives it back, because all linked members have it"), "{said}");
    for kept in [process.succeed(&remove(NEWCOMER)).await, process.succeed(&assign(VERIFIED)).await] {
        assert!(!kept["message"].as_str().unwrap().contains("sync"), "{kept}");
    }
    link::delete(process.context.database.write(), guild, &[user]).await.unwrap();
    let said = process.succeed(&assign(NEWCOMER)).await["message"].to_string();
    assert!(!said.contains("sync"), "a sync changes linked members only: {said}");
}

/// The sync of the new link ends before the role comes.
#[tokio::test]
async fn whoever_links_while_they_are_greeted_does_not_keep_the_unverified_role() {
    let person = Person { held: vec![], linked_as: None, ..Person::right(1) };
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    set(&process, None, Some(NEWCOMER)).await;
    let add = "PUT /guilds/:guild/members/:user/roles/:role";
    fixture.order(&json!({ "route": add, "hang_ms": 2_000 })).await;
    let (guild, user, joined_at) = (guild_id(), chat(person.chat), process.context.clock.now());
    let greeting = process.enqueue(&GreetMember { guild, user, joined_at }).await;
    until("the call", async || fixture.stats().await["faults_left"] == 0).await;
    let link = link::Model {
        guild_id: guild,
        chat_id: user,
        play_id: PlayId::try_from(person.play).unwrap(),
        play_username: person.name.clone(),
        verified_at: joined_at,
        source: link::Source::Member,
    };
    link::upsert_many(process.context.database.write(), vec![link]).await.unwrap();
    process.succeed(&sync(&person)).await;
    process.finish(greeting).await;
    until("the role is taken", async || fixture.member(person.chat).await.0 == [MEMBER]).await;
}
