//! Checks of bans and mutes: linked accounts, places, superseding, unban (docs/rules.md 4).

use std::time::Duration;

use serde_json::json;

use super::{Moderating, STRANGER, STRANGER_CHAT};
use testkit::{Deployment, both_modes, eventually};

both_modes!(
    a_ban_on_either_account_is_found_through_the_other,
    a_later_link_extends_a_ban_to_the_other_account,
    a_ban_of_a_place_counts_there_only,
    lifting_in_one_place_reports_a_wider_ban,
    one_ban_is_lifted_by_its_id,
    mutes_follow_the_same_rules,
    an_unban_lifts_every_ban_and_reports_when_there_was_no_ban,
);

async fn a_ban_on_either_account_is_found_through_the_other(deployment: &Deployment) {
    let member = &deployment.guild().members[10];
    let (chat, play) = (member.chat.as_str(), member.play.to_string());
    // Both accounts are cached as not banned.
    assert!(!deployment.is_banned(chat).await && !deployment.is_banned(&play).await);
    for named in [chat, play.as_str()] {
        deployment.ban(named, json!({})).await;
        assert!(deployment.is_banned(chat).await && deployment.is_banned(&play).await, "by {named}");
        assert_eq!(deployment.ban_status(chat).await["ban_info"]["identifier"], named);
        let other = if named == chat { play.as_str() } else { chat };
        deployment.unban(other, json!({})).await.ok();
        assert!(!deployment.is_banned(chat).await && !deployment.is_banned(&play).await, "by {named}");
    }
    // A ban of the other account takes the place of the first one.
    let permanent = deployment.ban(chat, json!({})).await;
    let shorter = deployment.ban(&play, json!({ "duration_seconds": 600 })).await;
    assert_eq!(deployment.ban_status(chat).await["ban_info"]["id"], shorter);
    assert_eq!(deployment.ban_history("active=false").await[0]["id"], permanent);
    assert_eq!(deployment.unban(chat, json!({})).await.ok()["lifted"], json!([shorter]));
    assert!(!deployment.is_banned(&play).await);
    // A ban has no effect in another guild.
    deployment.ban(chat, json!({})).await;
    let other = deployment.other_guild();
    let path = format!("/moderation/{}/ban-status/{chat}", other.id);
    assert_eq!(deployment.api().key(&other.admin_key).get(&path).await.ok()["banned"], false);
}

async fn a_later_link_extends_a_ban_to_the_other_account(deployment: &Deployment) {
    deployment.ban(STRANGER_CHAT, json!({})).await;
    assert!(!deployment.is_banned(STRANGER).await);
    let list = deployment.moderation("play/bans/active");
    let before = deployment.api().get(&list).await.ok();
    assert_eq!(before["bans"][0]["identifier"], STRANGER_CHAT);
    let csv = format!("chat_id,play_id,play_username\n{STRANGER_CHAT},{STRANGER},late\n");
    std::fs::write(deployment.folder().join("links.csv"), csv).unwrap();
    deployment
        .command(&["links", "import", "links.csv", "--guild", &deployment.guild().id])
        .await
        .succeeded();
    eventually("the other account is banned", Duration::from_secs(3), async || {
        deployment.is_banned(STRANGER).await.then_some(())
    })
    .await;
    // The ban is listed by the game id now, and among the changes since the earlier revision.
    let since = before["revision"].as_i64().unwrap();
    let changes = deployment.api().get(&format!("{list}?since={since}")).await.ok();
    assert_eq!(changes["bans"][0]["identifier"], STRANGER, "{changes}");
    assert_eq!(changes["bans"][0]["id"], before["bans"][0]["id"]);
}

async fn a_ban_of_a_place_counts_there_only(deployment: &Deployment) {
    deployment.ban(STRANGER, json!({ "place_id": 11 })).await;
    assert!(deployment.is_banned(STRANGER).await, "a check without a place finds the bans of every place");
    assert!(deployment.is_banned_in(STRANGER, 11).await && !deployment.is_banned_in(STRANGER, 12).await);
    let everywhere = deployment.ban(STRANGER, json!({ "duration_seconds": 600 })).await;
    assert!(deployment.is_banned_in(STRANGER, 12).await);
    assert_eq!(deployment.ban_history("active=true").await.len(), 2, "different places do not supersede");
    // An unban of one place leaves the other ban.
    let answer = deployment.unban(STRANGER, json!({ "place_id": 11 })).await;
    assert!(answer.message().contains("still"), "{answer}");
    assert_eq!(deployment.ban_status(STRANGER).await["ban_info"]["id"], everywhere);
    assert!(deployment.is_banned_in(STRANGER, 11).await, "by the ban of every game");
    deployment.ban(STRANGER, json!({ "place_id": 13 })).await;
    deployment.unban(STRANGER, json!({})).await.ok();
    assert!(!deployment.is_banned(STRANGER).await);
}

/// The others of the person stay, and the answer says whether they still count there.
async fn one_ban_is_lifted_by_its_id(deployment: &Deployment) {
    let here = deployment.ban(STRANGER, json!({ "place_id": 11 })).await;
    let everywhere = deployment.ban(STRANGER, json!({})).await;
    let of_other = deployment.unban(STRANGER_CHAT, json!({ "id": here })).await.ok();
    assert_eq!(of_other["lifted"], json!([]), "the ban is not of this person");
    let lifted = deployment.unban(STRANGER, json!({ "id": everywhere })).await.ok();
    assert_eq!((&lifted["lifted"], &lifted["still_banned"]), (&json!([everywhere]), &json!(false)));
    assert!(deployment.is_banned_in(STRANGER, 11).await && !deployment.is_banned_in(STRANGER, 12).await);
    let everywhere = deployment.ban(STRANGER, json!({})).await;
    let lifted = deployment.unban(STRANGER, json!({ "id": here })).await.ok();
    assert_eq!((&lifted["lifted"], &lifted["still_banned"]), (&json!([here]), &json!(true)));
    assert_eq!(deployment.ban_status(STRANGER).await["ban_info"]["id"], everywhere);
}

async fn lifting_in_one_place_reports_a_wider_ban(deployment: &Deployment) {
    for (verb, end, still) in [("ban", "unban", "still_banned"), ("mute", "unmute", "still_muted")] {
        let here = json!({ "place_id": 11 });
        deployment.sanction(verb, STRANGER, json!({})).await.ok();
        // The place has no ban of its own; the one of every game stays.
        let none = deployment.sanction(end, STRANGER, here.clone()).await;
        assert!(none.message().contains("still in force"), "{none}");
        let none = none.ok();
        assert_eq!((&none[still], &none["lifted"]), (&json!(true), &json!([])));
        deployment.sanction(verb, STRANGER, here.clone()).await.ok();
        let lifted = deployment.sanction(end, STRANGER, here.clone()).await;
        assert!(lifted.message().contains("still in force"), "{lifted}");
        let lifted = lifted.ok();
        assert_eq!((&lifted[still], lifted["lifted"].as_array().unwrap().len()), (&json!(true), 1));
        // Without a wider ban.
        deployment.sanction(verb, STRANGER, json!({ "place_id": 12 })).await.ok();
        assert_eq!(deployment.sanction(end, STRANGER, json!({})).await.ok()[still], false);
        for more in [here, json!({})] {
            let nothing = deployment.sanction(end, STRANGER, more).await;
            assert!(!nothing.message().contains("still"), "{nothing}");
            assert_eq!(nothing.ok()[still], false);
        }
    }
}

async fn mutes_follow_the_same_rules(deployment: &Deployment) {
    let member = &deployment.guild().members[11];
    let play = member.play.to_string();
    let first = deployment.sanction("mute", &member.chat, json!({})).await.ok()["id"].clone();
    assert!(deployment.is_muted(&play).await && !deployment.is_banned(&play).await);
    let second = deployment.sanction("mute", &member.chat, json!({ "duration_seconds": 60 })).await.ok();
    assert_ne!(second["id"], first);
    let list = deployment.api().get(&deployment.moderation("play/mutes/active")).await.ok();
    assert_eq!(list["mutes"].as_array().unwrap().len(), 1, "{list}");
    let row = &list["mutes"][0];
    assert_eq!((&row["id"], &row["identifier"]), (&second["id"], &json!(play)));
    assert!(row["reason"].is_string() && row["expires_at"].is_string(), "{row}");
    deployment.sanction("mute", &play, json!({ "place_id": 5 })).await.ok();
    assert_eq!(
        deployment.sanction("unmute", &play, json!({})).await.ok()["lifted"].as_array().unwrap().len(),
        2
    );
    assert!(!deployment.is_muted(&member.chat).await);
    let again = deployment.sanction("unmute", &play, json!({})).await;
    assert!(again.message().contains("no active mute"), "{again}");
    assert_eq!(again.ok()["unmuted"], true);
}

async fn an_unban_lifts_every_ban_and_reports_when_there_was_no_ban(deployment: &Deployment) {
    let nothing = deployment.unban(STRANGER, json!({})).await;
    assert!(nothing.message().contains("no active ban"), "{nothing}");
    assert_eq!(nothing.ok()["unbanned"], true);
    assert!(deployment.audit("moderation.unban").await.is_empty());
    for place in [json!(null), json!(1), json!(2)] {
        deployment.ban(STRANGER, json!({ "place_id": place })).await;
    }
    let lifted = deployment.unban(STRANGER, json!({})).await;
    assert!(!lifted.message().contains("no active ban"), "{lifted}");
    assert_eq!(lifted.ok()["lifted"].as_array().unwrap().len(), 3);
    assert!(!deployment.is_banned(STRANGER).await);
}
