//! Roles assigned and removed by hand (docs/rules.md 5).

use jobs::kinds::{AssignRole, RemoveRole};
use serde_json::Value;

use crate::fixture::{Fixture, chat, guild_id, role};
use crate::people::{ADMIN, DECORATION, GUILD, INTEGRATION, MEMBER, MODERATOR, OFFICER, Person, TRAINEE};

fn assign(user: i64, id: i64) -> AssignRole {
    AssignRole { guild: guild_id(), user: chat(user), role: role(id), by: None }
}

fn remove(user: i64, id: i64) -> RemoveRole {
    RemoveRole { guild: guild_id(), user: chat(user), role: role(id), by: None }
}

#[tokio::test]
async fn roles_are_assigned_and_removed_idempotently_with_audit_entries() {
    let person = Person::right(1);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    for _ in 0..2 {
        let result = process.succeed(&assign(person.chat, DECORATION)).await;
        assert_eq!(result["message"], "role role 4 assigned");
        assert_eq!(fixture.member(person.chat).await.0, [MEMBER, DECORATION]);
    }
    for _ in 0..2 {
        let result = process.succeed(&remove(person.chat, DECORATION)).await;
        assert_eq!(result["message"], "role role 4 removed");
        assert_eq!(fixture.member(person.chat).await.0, [MEMBER]);
    }
    for action in ["roles.assign", "roles.remove"] {
        let audit = process.audit(action).await;
        assert_eq!(audit.len(), 2);
        assert_eq!(audit[0].target_id, person.chat.to_string());
        assert_eq!(audit[0].metadata["role_id"], DECORATION.to_string());
    }
}

#[tokio::test]
async fn a_change_that_the_next_sync_undoes_says_so() {
    let people = [Person::right(1), Person { linked_as: None, ..Person::right(2) }];
    let fixture = Fixture::new(&people).await;
    let process = fixture.process().await;
    let message = |result: Value| result["message"].as_str().unwrap().to_owned();
    let given = message(process.succeed(&assign(people[0].chat, OFFICER)).await);
    assert!(given.contains("the next sync takes it away"), "{given}");
    let taken = message(process.succeed(&remove(people[0].chat, MEMBER)).await);
    assert!(taken.contains("the next sync gives it back"), "{taken}");
    // The rank calls for it; and no sync changes members without a link.
    for (user, role) in [(people[0].chat, MEMBER), (people[1].chat, OFFICER)] {
        let given = message(process.succeed(&assign(user, role)).await);
        assert!(given.ends_with("assigned"), "{given}");
    }
    // Without the ranks it is unknown.
    fixture.fault("GET /cloud/v2/groups/-/memberships", 500, 20).await;
    let given = message(process.succeed(&assign(people[0].chat, OFFICER)).await);
    assert!(given.contains("by the member's rank"), "{given}");
}

#[tokio::test]
async fn roles_the_bot_may_not_touch_are_refused_before_the_call() {
    let person = Person::right(1);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    for (id, status, word) in [
        (GUILD + 9999, 404, "unknown_role"),
        (ADMIN, 422, "role_not_grantable"),
        (INTEGRATION, 422, "role_not_grantable"),
        (GUILD, 422, "role_not_grantable"),
    ] {
        let (was, error, _) = process.fail(&assign(person.chat, id)).await;
        assert_eq!((was, error.as_str()), (status, word));
        let (was, error, _) = process.fail(&remove(person.chat, id)).await;
        assert_eq!((was, error.as_str()), (status, word));
    }
    assert_eq!(fixture.stats().await["invalid"], 0);
}

#[tokio::test]
async fn a_privileged_role_is_assigned_only_if_the_guild_allows_it_and_always_removed() {
    let person = Person { held: vec![MEMBER, MODERATOR], ..Person::right(1) };
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    process.succeed(&remove(person.chat, MODERATOR)).await;
    assert_eq!(fixture.member(person.chat).await.0, [MEMBER]);
    let (status, error, message) = process.fail(&assign(person.chat, MODERATOR)).await;
    assert_eq!((status, error.as_str()), (422, "role_not_grantable"));
    for word in ["role 6", &MODERATOR.to_string(), "Manage Roles", "allowed_privileged_roles"] {
        assert!(message.contains(word), "{word}: {message}");
    }
    assert_eq!(fixture.member(person.chat).await.0, [MEMBER]);
    fixture.allow(&process.context, &[MODERATOR]).await;
    process.succeed(&assign(person.chat, MODERATOR)).await;
    assert_eq!(fixture.member(person.chat).await.0, [MEMBER, MODERATOR]);
    // The setting does not override the hierarchy.
    fixture.allow(&process.context, &[ADMIN]).await;
    let (status, error, _) = process.fail(&assign(person.chat, ADMIN)).await;
    assert_eq!((status, error.as_str()), (422, "role_not_grantable"));
}

#[tokio::test]
async fn a_user_outside_the_guild_is_not_a_member() {
    let gone = Person { in_guild: false, ..Person::right(2) };
    let fixture = Fixture::new(std::slice::from_ref(&gone)).await;
    let process = fixture.process().await;
    let (status, error, _) = process.fail(&assign(gone.chat, DECORATION)).await;
    assert_eq!((status, error.as_str()), (404, "not_a_member"));
    let (status, error, _) = process.fail(&remove(gone.chat, DECORATION)).await;
    assert_eq!((status, error.as_str()), (404, "not_a_member"));
    assert!(process.audit("roles.assign").await.is_empty());
}

#[tokio::test]
async fn a_person_gives_and_takes_only_roles_below_their_own() {
    let (owner, target) = (Person::right(1), Person { held: vec![MEMBER, OFFICER], ..Person::right(2) });
    let giver = Person { held: vec![TRAINEE], ..Person::right(3) };
    let fixture = Fixture::new(&[owner.clone(), target.clone(), giver.clone()]).await;
    let process = fixture.process().await;
    let by = |person: i64| Some(chat(person));
    for (above, asks) in [(TRAINEE, giver.chat), (OFFICER, giver.chat), (MEMBER, chat(99).get())] {
        let given = AssignRole { by: by(asks), ..assign(target.chat, above) };
        let (status, error, message) = process.fail(&given).await;
        assert_eq!((status, error.as_str()), (422, "role_not_grantable"), "{message}");
        assert!(message.contains("below the highest role of the person"), "{message}");
        let taken = RemoveRole { by: by(asks), ..remove(target.chat, above) };
        assert_eq!(process.fail(&taken).await.0, 422);
    }
    assert_eq!(fixture.member(target.chat).await.0, [MEMBER, OFFICER]);
    process.succeed(&RemoveRole { by: by(giver.chat), ..remove(target.chat, MEMBER) }).await;
    process.succeed(&AssignRole { by: by(giver.chat), ..assign(target.chat, MEMBER) }).await;
    process.succeed(&RemoveRole { by: by(owner.chat), ..remove(target.chat, OFFICER) }).await;
    process.succeed(&AssignRole { by: by(owner.chat), ..assign(target.chat, DECORATION) }).await;
    assert_eq!(fixture.member(target.chat).await.0, [MEMBER, DECORATION]);
}
