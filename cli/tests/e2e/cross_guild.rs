//! No path lets one guild's key see or change another guild: a request that names the other guild is answered 403, one
//! that names an id of it is answered as for an unknown id. The operations come from the served document.

pub(crate) mod caller;
pub(crate) mod operations;

use serde_json::json;

use self::caller::{Caller, comparable};
use self::operations::{Operation, operations};
use testkit::Ids;
use testkit::{Deployment, Rows, both_modes};

both_modes!(
    naming_another_guild_is_403_on_every_path(own),
    another_guilds_ids_are_answered_as_unknown_ones(own),
    the_guilds_own_key_finds_every_id,
);

/// Lower bounds on the number of operations, so that a failure to find them fails the test.
const OPERATIONS: usize = 80;
const IN_PATH: usize = 50;
const IN_BODY: usize = 35;
const PLACES: usize = 80;

async fn naming_another_guild_is_403_on_every_path(deployment: &Deployment) {
    let (victim, own) = (deployment.guild(), deployment.other_guild());
    let (theirs, mine) = (Ids::made(deployment, victim, 101).await, Ids::made(deployment, own, 201).await);
    let nowhere = Ids::unknown();
    let all = operations(deployment).await;
    let in_path = all.iter().filter(|operation| operation.guild_in_path()).count();
    let in_body = all.iter().filter(|operation| operation.guild_in_body).count();
    assert!(all.len() > OPERATIONS && in_path > IN_PATH && in_body > IN_BODY, "{in_path} {in_body}");
    let intruder = Caller::of(deployment, own, 2 * (in_path + in_body + all.len())).await;
    let (before, updates) = (deployment.rows(None).await, deployment.member_updates().await);
    for guild in [&theirs, &nowhere] {
        for operation in &all {
            let mut requests = vec![(operation.request(&mine, &[], &mine), Some(guild.guild.as_str()))];
            if operation.guild_in_path() {
                requests.push((operation.request(guild, &[], guild), None));
            }
            if operation.guild_in_body {
                let mut request = operation.request(&mine, &[], &mine);
                request.body.as_mut().unwrap()["guild_id"] = json!(guild.guild);
                requests.push((request, None));
            }
            for (request, header) in requests {
                let answer = intruder.send(request, header).await.refused(403, &["another guild"]);
                assert_eq!(answer.error(), "other_guild", "{answer}");
            }
        }
    }
    unchanged(&before, &deployment.rows(None).await);
    assert_eq!(deployment.member_updates().await, updates);
}

async fn another_guilds_ids_are_answered_as_unknown_ones(deployment: &Deployment) {
    let (victim, own) = (deployment.guild(), deployment.other_guild());
    let (theirs, mine) = (Ids::made(deployment, victim, 101).await, Ids::made(deployment, own, 201).await);
    let nowhere = Ids::unknown();
    let all = operations(deployment).await;
    // Any accounts can be linked and banned, whether or not another guild knows them: the platform says which there are.
    let looks_up = |operation: &&Operation| {
        ![("PUT", "/guilds/{guildId}/links/{chatId}"), ("POST", "/moderation/{guildId}/bans/import")]
            .contains(&(operation.method.as_str(), operation.template.as_str()))
    };
    // The number that a guild gives to a new submission of its own.
    let is_given = |(operation, places): &(&Operation, Vec<&str>)| {
        operation.template.ends_with("/application-submissions") && places == &["submission_id"]
    };
    let walks: Vec<_> = all.iter().filter(looks_up).flat_map(Operation::walks).collect();
    let walks: Vec<_> = walks.into_iter().filter(|walk| !is_given(walk)).collect();
    assert!(walks.len() > PLACES, "{}", walks.len());
    let intruder = Caller::of(deployment, own, 2 * walks.len()).await;
    let (before, updates) = (deployment.rows(Some(&own.id)).await, deployment.member_updates().await);
    let mut wrong = Vec::new();
    for (operation, places) in walks {
        let mut answers = Vec::new();
        for ids in [&theirs, &nowhere] {
            let answer = intruder.send(operation.request(&mine, &places, ids), None).await;
            let sent: Vec<String> = places.iter().map(|place| ids.text(place)).collect();
            answers.push((answer.status, comparable(&answer, &sent), answer));
        }
        let [foreign, unknown] = &answers[..] else { unreachable!() };
        // A 400 would not show that the id was looked up.
        if (foreign.0, &foreign.1) != (unknown.0, &unknown.1) || foreign.0 == 400 {
            wrong.push(format!("{places:?}: {}\n  but {}", foreign.2, unknown.2));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    unchanged(&before, &deployment.rows(Some(&own.id)).await);
    assert_eq!(deployment.member_updates().await, updates);
}

/// The ids of the two tests above are valid for the guild's own key; otherwise those tests would prove nothing.
async fn the_guilds_own_key_finds_every_id(deployment: &Deployment) {
    let guild = deployment.guild();
    let ids = Ids::made(deployment, guild, 101).await;
    let all = operations(deployment).await;
    let insider = Caller::of(deployment, guild, all.len()).await;
    let mut wrong = Vec::new();
    // What only members do, a key cannot do in their place; a code is no id; and the import is one of bans.
    let is_for_members = |operation: &&Operation| {
        ["profile", "confirm", "cancel"]
            .iter()
            .any(|verb| operation.template.ends_with(&format!("{{attemptId}}/{verb}")))
            || operation.template == "/links/confirm"
            || operation.template.ends_with("/links/imports/{importId}/undo")
    };
    for operation in
        all.iter().filter(|operation| operation.method != "DELETE").filter(|one| !is_for_members(one))
    {
        let answer = insider.send(operation.request(&ids, &operation.ids(), &ids), None).await;
        if matches!(answer.status, 400 | 403 | 404 | 405 | 415) {
            wrong.push(answer.to_string());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn unchanged(before: &Rows, after: &Rows) {
    for (table, rows) in before {
        assert_eq!(rows, &after[table], "{table}");
    }
    assert_eq!(before.len(), after.len());
}
