//! /ban, /unban, /banned and /whois.

use serde_json::{Value, json};
use testkit::{Deployment, both_modes, in_turn};

use super::{forged, typed};

both_modes!(a_ban_is_made_seen_and_lifted);

in_turn!(
    a_player_is_banned_by_name_and_the_ban_taken_back,
    who_may_not_changes_nothing,
    somebody_has_to_be_named,
    whois_shows_what_the_person_who_asks_may_know,
    without_consent_no_command_names_the_game_account,
);

async fn is_banned(deployment: &Deployment, identifier: &str) -> bool {
    let at = format!("/moderation/{}/ban-status/{identifier}", deployment.guild().id);
    deployment.api().get(&at).await.ok()["banned"] == true
}

async fn a_ban_is_made_seen_and_lifted(deployment: &Deployment) {
    let (guild, admin) = (deployment.guild(), &deployment.guild().members[0].chat);
    let member = &guild.members[22];
    let ban = json!({ "member": member.chat, "reason": "spam *and* @everyone", "days": 7 });
    let banned = typed(deployment, admin, "ban", ban).await;
    banned.says(&["Banned", "until <t:", "spam \\*and\\* \\@everyone"]);
    assert!(is_banned(deployment, &member.play.to_string()).await, "by both accounts");
    let found = typed(deployment, admin, "banned", json!({ "member": member.chat })).await;
    found.says(&["banned until", "spam"]);
    typed(deployment, admin, "banned", json!({})).await.says(&["The latest bans"]);

    let lifted = typed(deployment, admin, "unban", json!({ "player": member.name })).await;
    lifted.says(&["Lifted 1 ban of", &member.name.replace('_', "\\_")]);
    assert!(!is_banned(deployment, &member.chat).await);
    typed(deployment, admin, "banned", json!({ "member": member.chat })).await.says(&["is not banned"]);
    typed(deployment, admin, "unban", json!({ "member": member.chat })).await.says(&["was not banned"]);
    let audit = deployment.audit("moderation.ban").await;
    assert_eq!(audit[0]["actor_id"], admin.as_str());
    assert_eq!(audit[0]["metadata"]["moderator"], Value::Null, "the person was there");
}

async fn a_player_is_banned_by_name_and_the_ban_taken_back(deployment: &Deployment) {
    let admin = &deployment.guild().members[0].chat;
    // Nobody's link here: Roblox knows the name.
    let stranger = &deployment.other_guild().members[5];
    let ban = json!({ "player": stranger.name.to_uppercase(), "reason": "exploiting" });
    let banned = typed(deployment, admin, "ban", ban).await;
    banned.says(&["Banned", "for ever", "exploiting"]);
    assert!(is_banned(deployment, &stranger.play.to_string()).await);
    banned.press(deployment, "Lift it again").await.says(&["The ban is lifted"]);
    assert!(!is_banned(deployment, &stranger.play.to_string()).await);
    let again = forged(deployment, admin, &banned.button("Lift it again")).await;
    assert!(again["data"]["content"].as_str().unwrap().contains("had ended before"), "{again}");
    let by_id = json!({ "player": stranger.play.to_string(), "reason": "again" });
    typed(deployment, admin, "ban", by_id).await.says(&["Banned", "again"]);
    let unknown = json!({ "player": "nobody_at_all", "reason": "x" });
    typed(deployment, admin, "ban", unknown).await.says(&["Roblox has no account named nobody\\_at\\_all"]);
    let own = json!({ "member": admin, "reason": "x" });
    let refused = typed(deployment, admin, "ban", own).await;
    refused.says(&["your own account"]);
    assert!(!is_banned(deployment, admin).await, "{}", refused.text());
}

async fn who_may_not_changes_nothing(deployment: &Deployment) {
    let guild = deployment.guild();
    // A moderator reads bans, and makes none.
    let (moderator, member, target) = (&guild.members[1].chat, &guild.members[23].chat, &guild.members[24]);
    for (user, command, options, needs) in [
        (moderator, "ban", json!({ "member": target.chat, "reason": "x" }), "moderation.write"),
        (member, "ban", json!({ "member": target.chat, "reason": "x" }), "moderation.write"),
        (member, "unban", json!({ "member": target.chat }), "moderation.write"),
        (member, "banned", json!({}), "moderation.read"),
        (member, "whois", json!({ "member": target.chat }), "lookup.read"),
        (member, "strike", json!({ "member": moderator, "reason": "x" }), "staff.write"),
        (member, "leave", json!({ "days": 3, "reason": "x" }), "a staff role"),
        (moderator, "sync-all", json!({}), "sync.write"),
        (moderator, "setup check", json!({}), "admin"),
        (moderator, "setup button", json!({}), "admin"),
    ] {
        typed(deployment, user, command, options).await.says(&["You may not do this here", needs]);
    }
    assert!(!is_banned(deployment, &target.chat).await);
    assert!(deployment.audit("moderation.ban").await.is_empty());
    typed(deployment, moderator, "banned", json!({ "member": target.chat })).await.says(&["is not banned"]);
}

async fn somebody_has_to_be_named(deployment: &Deployment) {
    let admin = &deployment.guild().members[0].chat;
    let target = &deployment.guild().members[25];
    typed(deployment, admin, "ban", json!({ "reason": "x" })).await.says(&["Say who"]);
    let both = json!({ "reason": "x", "member": target.chat, "player": target.name });
    typed(deployment, admin, "ban", both).await.says(&["not both"]);
    assert!(!is_banned(deployment, &target.chat).await);
}

async fn whois_shows_what_the_person_who_asks_may_know(deployment: &Deployment) {
    let guild = deployment.guild();
    let (admin, moderator) = (&guild.members[0].chat, &guild.members[2]);
    let shown = typed(deployment, admin, "whois", json!({ "member": moderator.chat })).await;
    shown.says(&[&moderator.name.replace('_', "\\_"), "on Roblox, linked", "Staff: Moderator"]);
    let by_name = typed(deployment, admin, "whois", json!({ "player": moderator.name })).await;
    by_name.says(&["on Roblox, linked", "Staff: Moderator"]);
    let stranger = &deployment.other_guild().members[6];
    let unlinked = typed(deployment, admin, "whois", json!({ "player": stranger.name })).await;
    unlinked.says(&["is not linked in this server"]);
    let play = moderator.play.to_string();
    let flag = ["shield", "flag", &play, "--reason", "alts", "--by", admin, "--guild", &guild.id];
    deployment.command(&flag).await.succeeded();
    let flagged = typed(deployment, admin, "whois", json!({ "member": moderator.chat })).await;
    flagged.says(&["On the Shield list since <t:"]);
    deployment.command(&["shield", "lift", &play, "--reason", "appeal"]).await.succeeded();
    let lifted = typed(deployment, admin, "whois", json!({ "member": moderator.chat })).await;
    assert!(!lifted.text().contains("Shield"), "{}", lifted.text());
}

/// What a member has proven is theirs; a guild where they did not agree learns nothing.
async fn without_consent_no_command_names_the_game_account(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), deployment.other_guild());
    let member = &other.members[7];
    deployment.simulator.join(guild, &member.chat).await;
    let admin = &guild.members[0].chat;
    for command in ["whois", "banned"] {
        let shown = typed(deployment, admin, command, json!({ "member": member.chat })).await;
        let whole = shown.state.to_string();
        let names = [member.name.clone(), member.name.replace('_', "\\\\_"), member.play.to_string()];
        assert!(names.iter().all(|name| !whole.contains(name.as_str())), "{whole}");
    }
}
