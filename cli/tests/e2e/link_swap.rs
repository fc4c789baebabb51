//! `POST /guilds/:guildId/links/:chatId/swap` (docs/rules.md 11): two members exchange their game accounts.

use std::time::Duration;

use serde_json::{Value, json};

use testkit::{Answer, Deployment, Member, OUTSIDER, both_modes, eventually};

use crate::moderation::Moderating;

both_modes!(two_members_exchange_their_accounts, only_two_linked_members_of_the_guild_swap);

/// The longest wait for the jobs of a change.
const WITHIN: Duration = Duration::from_secs(20);

fn path(deployment: &Deployment, chat: &str) -> String {
    format!("/guilds/{}/links/{chat}", deployment.guild().id)
}

async fn swap(deployment: &Deployment, chat: &str, other: &str) -> Answer {
    let at = format!("{}/swap", path(deployment, chat));
    deployment.api().post(&at, json!({ "chat_id": other })).await
}

async fn two_members_exchange_their_accounts(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let mut right = guild.members.iter().filter(|member| !member.needs_change());
    let (one, other) = (right.next().unwrap(), right.next().unwrap());
    deployment.ban(&one.play.to_string(), json!({})).await;
    let swapped = swap(deployment, &one.chat, &other.chat).await.ok();
    let pairs: Vec<_> = swapped["links"].as_array().unwrap().iter().map(pair).collect();
    assert_eq!(pairs, [(json!(one.chat), json!(other.play)), (json!(other.chat), json!(one.play))]);
    assert_eq!(swapped["job_ids"].as_array().unwrap().len(), 2, "{swapped}");
    has_links_of(deployment, one, other).await;
    has_links_of(deployment, other, one).await;
    assert_eq!(deployment.job_rows("unlink_member").await, [], "nobody was unlinked");

    assert!(deployment.is_banned(&other.chat).await && !deployment.is_banned(&one.chat).await);
    let audit = deployment.audit("links.swap").await;
    let of_one = audit.iter().find(|entry| entry["target_id"] == one.chat.as_str()).unwrap();
    let (before, after) = (&of_one["metadata"]["before"], &of_one["metadata"]["after"]);
    assert_eq!((&before["play_id"], &after["play_id"]), (&json!(one.play), &json!(other.play)));
    assert_eq!(audit.len(), 2);
    let shown = api.get(&path(deployment, &one.chat)).await.ok();
    assert_eq!(shown["link"]["source"], "api");
    // Its own former link, and that of the game account it has now.
    let history = shown["history"].as_array().unwrap();
    assert!(history.len() == 2 && history.iter().all(|ended| ended["replaced"] == true), "{shown}");
}

fn pair(link: &Value) -> (Value, Value) {
    (link["chat_id"].clone(), link["play_id"].clone())
}

/// The member has the roles and the name of the other one's game account.
async fn has_links_of(deployment: &Deployment, member: &Member, other: &Member) {
    eventually("roles and nickname are those of the other", WITHIN, async || {
        let found = deployment.simulator.member(deployment.guild(), &member.chat).await;
        let roles = found["roles"].as_array().unwrap();
        (roles.contains(&json!(other.wanted)) && found["nick"] == other.name.as_str()).then_some(())
    })
    .await;
}

async fn only_two_linked_members_of_the_guild_swap(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let [one, other, free, ..] = &guild.members[10..] else { unreachable!() };
    api.delete(&path(deployment, &free.chat)).await.ok();
    let elsewhere = &deployment.other_guild().members[3].chat;
    for absent in [&*free.chat, elsewhere, OUTSIDER] {
        for (from, to) in [(&*one.chat, absent), (absent, &*one.chat)] {
            assert_eq!(swap(deployment, from, to).await.refused(404, &["not linked"]).error(), "not_linked");
        }
    }
    let same = swap(deployment, &one.chat, &one.chat).await.refused(422, &["chat_id"]);
    assert_eq!(same.error(), "same_member");
    for bad in ["x", "-1", ""] {
        swap(deployment, &one.chat, bad).await.refused(400, &["chat_id"]);
    }
    let theirs = api.key(&deployment.other_guild().admin_key);
    let at = format!("{}/swap", path(deployment, &one.chat));
    let refused = theirs.post(&at, json!({ "chat_id": other.chat })).await;
    assert_eq!(refused.status, 403, "{refused}");
    api.key(&guild.game_key).post(&at, json!({ "chat_id": other.chat })).await.refused(403, &["links"]);
    for member in [one, other] {
        let shown = api.get(&path(deployment, &member.chat)).await.ok();
        assert_eq!((&shown["link"]["play_id"], &shown["history"]), (&json!(member.play), &json!([])));
    }
}
