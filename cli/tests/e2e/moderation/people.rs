//! Persons with two accounts in the lists, who the moderator is, and what counts as a staff action (docs/rules.md 4 and 6).

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Moderating, STRANGER, STRANGER_CHAT};
use testkit::{Deployment, both_modes, eventually};

const WITHIN: Duration = Duration::from_secs(5);

both_modes!(
    a_person_linked_later_is_listed_once,
    a_moderator_may_be_named_by_the_game_account,
    the_system_is_nobody_of_the_staff,
    changes_of_a_ban_are_no_further_actions,
    one_person_fills_no_quota,
    each_moderator_and_each_person_counts,
);

async fn a_person_linked_later_is_listed_once(deployment: &Deployment) {
    let list = deployment.moderation("play/bans/active");
    let long = deployment.ban(STRANGER_CHAT, json!({})).await;
    deployment.ban(STRANGER, json!({ "duration_seconds": 600 })).await;
    // It keeps the list by identifier.
    let (mut revision, mut kept) = (0, BTreeMap::<String, i64>::new());
    for step in 0..4 {
        match step {
            1 => {
                let csv = format!("chat_id,play_id,play_username\n{STRANGER_CHAT},{STRANGER},late\n");
                std::fs::write(deployment.folder().join("people.csv"), csv).unwrap();
                let import = ["links", "import", "people.csv", "--guild", &deployment.guild().id];
                deployment.command(&import).await.succeeded();
            }
            2 => drop(deployment.ban(STRANGER, json!({ "duration_seconds": 900 })).await),
            3 => drop(deployment.ban(STRANGER_CHAT, json!({ "duration_seconds": 300 })).await),
            _ => {}
        }
        let changes = deployment.api().get(&format!("{list}?since={revision}")).await.ok();
        kept.retain(|_, id| !changes["lifted"].as_array().unwrap().contains(&json!(id)));
        for ban in changes["bans"].as_array().unwrap() {
            let id = ban["id"].as_i64().unwrap();
            kept.retain(|_, known| *known != id);
            kept.insert(ban["identifier"].as_str().unwrap().to_owned(), id);
        }
        revision = changes["revision"].as_i64().unwrap();
        // A change by a command takes effect within a second.
        eventually(&format!("the whole list is like the one kept at step {step}"), WITHIN, async || {
            let whole = deployment.api().get(&list).await.ok()["bans"].clone();
            let item =
                |ban: &Value| (ban["identifier"].as_str().unwrap().to_owned(), ban["id"].as_i64().unwrap());
            let whole: BTreeMap<_, _> = whole.as_array().unwrap().iter().map(item).collect();
            (kept == whole).then_some(())
        })
        .await;
        assert_eq!(kept.len(), if step == 0 { 2 } else { 1 }, "step {step}: {kept:?}");
        if step == 1 {
            assert_eq!(kept[STRANGER], long, "the one that ends last");
        }
    }
    assert_eq!(deployment.ban_history("active=true").await.len(), 1, "of both accounts");
}

async fn a_moderator_may_be_named_by_the_game_account(deployment: &Deployment) {
    let moderator = &deployment.guild().members[0];
    for (sent, noted) in [
        (json!(moderator.play), moderator.chat.as_str()),
        (json!(moderator.play.to_string()), moderator.chat.as_str()),
        (json!(moderator.chat), moderator.chat.as_str()),
        // Without a link the game id stays.
        (json!(77), "77"),
    ] {
        deployment.ban(STRANGER, json!({ "moderator_id": sent })).await;
        assert_eq!(deployment.ban_status(STRANGER).await["ban_info"]["moderator_id"], noted, "{sent}");
        assert_eq!(deployment.audit("moderation.ban").await[0]["actor_id"], noted);
        deployment.unban(STRANGER, json!({ "moderator_id": sent })).await.ok();
        assert_eq!(deployment.audit("moderation.unban").await[0]["actor_id"], noted);
        assert_eq!(deployment.ban_history("").await[0]["lifted_by"], noted);
    }
    let by = async |id: &str| deployment.ban_history(&format!("moderator_id={id}")).await.len();
    assert_eq!((by(&moderator.play.to_string()).await, by(&moderator.chat).await, by("77").await), (3, 3, 1));
}

async fn the_system_is_nobody_of_the_staff(deployment: &Deployment) {
    for (sent, verb) in [(json!("0"), "ban"), (json!(0), "mute")] {
        let done = deployment.sanction(verb, STRANGER, json!({ "moderator_id": sent })).await;
        done.ok();
        assert_eq!(deployment.audit(&format!("moderation.{verb}")).await[0]["actor_id"], "0");
        deployment.sanction(&format!("un{verb}"), STRANGER, json!({ "moderator_id": sent })).await.ok();
    }
    let ban = &deployment.ban_history("moderator_id=0").await[0];
    assert_eq!((&ban["moderator_id"], &ban["lifted_by"]), (&json!("0"), &json!("0")));
    let guild = &deployment.guild().id;
    let activity = deployment.api().get(&format!("/staff/activity/{guild}")).await.ok();
    assert_eq!(activity["actions"], json!([]));
    assert_eq!(counted(deployment).await, json!({}));
    let board = deployment.api().get(&format!("/staff/leaderboard/{guild}")).await.ok();
    assert!(board["leaderboard"].as_array().unwrap().iter().all(|row| row["actions"] == 0), "{board}");
}

/// The guild's actions that count, by type.
async fn counted(deployment: &Deployment) -> Value {
    let stats = deployment.api().get(&format!("/staff/stats/{}", deployment.guild().id)).await.ok();
    let by_type = stats["by_type"].as_object().unwrap().clone();
    let total: i64 = by_type.values().filter_map(Value::as_i64).sum();
    assert_eq!(stats["total_actions"], total);
    Value::Object(by_type.into_iter().filter(|(_, count)| *count != 0).collect())
}

async fn changes_of_a_ban_are_no_further_actions(deployment: &Deployment) {
    let [first, second] = [0, 1].map(|n| deployment.guild().members[n].chat.clone());
    let by = |moderator: &str| json!({ "moderator_id": moderator });
    deployment.ban(STRANGER, by(&first)).await;
    assert_eq!(counted(deployment).await, json!({ "ban": 1 }));
    // Prolonged by both, lifted by mistake by the other one, and restored.
    deployment.ban(STRANGER, json!({ "moderator_id": first, "duration_seconds": 900 })).await;
    deployment.ban(STRANGER, json!({ "moderator_id": second, "duration_seconds": 1_900 })).await;
    deployment.ban(STRANGER, by(&first)).await;
    assert_eq!(counted(deployment).await, json!({ "ban": 1 }));
    deployment.unban(STRANGER_CHAT, by(&second)).await.ok();
    deployment.unban(STRANGER, by(&second)).await.ok();
    deployment.ban(STRANGER, by(&second)).await;
    assert_eq!(counted(deployment).await, json!({ "ban": 1 }));
    // All of it is in the audit log and among the activities.
    let ban = deployment.audit("moderation.ban").await.len();
    assert_eq!((ban, deployment.audit("moderation.unban").await.len()), (5, 1));
    let activity = deployment.api().get(&format!("/staff/activity/{}", deployment.guild().id)).await.ok();
    assert_eq!(activity["actions"].as_array().unwrap().len(), 6);
    // A lift by a moderator without an earlier action counts, until it is undone; neighbouring actions keep
    // their numbers.
    let third = &deployment.guild().members[2].chat;
    let others = ["771", "772"];
    for other in others {
        deployment.ban(other, by(&first)).await;
    }
    deployment.unban(others[0], by(third)).await.ok();
    deployment.unban(STRANGER, by(third)).await.ok();
    deployment.unban(others[1], by(third)).await.ok();
    assert_eq!(counted(deployment).await, json!({ "ban": 3, "unban": 3 }));
    deployment.ban(STRANGER, by(&first)).await;
    assert_eq!(counted(deployment).await, json!({ "ban": 3, "unban": 2 }));
    deployment.sanction("mute", "773", by(&first)).await.ok();
    deployment.sanction("unmute", "773", by(third)).await.ok();
    assert_eq!(counted(deployment).await, json!({ "ban": 3, "mute": 1, "unban": 2, "unmute": 1 }));
}

async fn one_person_fills_no_quota(deployment: &Deployment) {
    let member = &deployment.guild().members[12];
    for round in 0..4 {
        for place in 1..3 {
            let identifier = if round % 2 == 0 { member.chat.clone() } else { member.play.to_string() };
            deployment.ban(&identifier, json!({ "place_id": place, "duration_seconds": 1 })).await;
            deployment.ban(&identifier, json!({})).await;
        }
        deployment.unban(&member.chat, json!({})).await.ok();
    }
    // At once, in one transaction or several.
    let at_once = (0..6).map(|place| deployment.sanction("ban", "774", json!({ "place_id": place })));
    futures_util::future::join_all(at_once).await.into_iter().for_each(|answer| drop(answer.ok()));
    assert_eq!(counted(deployment).await, json!({ "ban": 2 }));
}

async fn each_moderator_and_each_person_counts(deployment: &Deployment) {
    let [first, second] = [0, 1].map(|n| deployment.guild().members[n].chat.clone());
    for whom in ["781", "782"] {
        deployment.ban(whom, json!({ "moderator_id": first, "duration_seconds": 1 })).await;
    }
    // Another offence, once the first ban is over.
    eventually("the first ban is over", WITHIN, async || (!deployment.is_banned("781").await).then_some(()))
        .await;
    deployment.ban("781", json!({ "moderator_id": second })).await;
    assert_eq!(counted(deployment).await, json!({ "ban": 3 }));
}
