//! `guildhall links list` and `links remove`.

use serde_json::{Value, json};

use testkit::{Deployment, FELT, both_modes, eventually};

use crate::moderation::Moderating;

both_modes!(links_are_listed_in_pages, a_removed_link_counts_for_nothing_any_more);

async fn page(deployment: &Deployment, more: &[&str]) -> (Vec<Value>, String) {
    let list = ["links", "list", "--json", "--guild", &deployment.guild().id];
    let finished = deployment.command(&[&list[..], more].concat()).await;
    let note = finished.stderr.clone();
    (serde_json::from_str(&finished.succeeded()).unwrap(), note)
}

async fn links_are_listed_in_pages(deployment: &Deployment) {
    let (all, note) = page(deployment, &[]).await;
    assert_eq!((all.len(), note.as_str()), (30, ""));
    let data = deployment.api().get(&format!("/guilds/{}/members", deployment.guild().id)).await.ok();
    for (listed, member) in all.iter().zip(data["members"].as_array().unwrap()) {
        assert!(["chat_id", "play_id", "play_username"].iter().all(|field| listed[field] == member[field]));
        assert_eq!(listed["verified_at"], "2026-04-12T18:33:21Z");
    }
    let (first, note) = page(deployment, &["--limit", "20"]).await;
    let last = first[19]["chat_id"].as_str().unwrap();
    assert!(note.contains(&format!("--after {last}")), "{note}");
    let (rest, _) = page(deployment, &["--limit", "20", "--after", last]).await;
    assert_eq!([first, rest].concat(), all);
}

async fn a_removed_link_counts_for_nothing_any_more(deployment: &Deployment) {
    let guild = deployment.guild();
    let (member, other) = (&guild.members[7], &guild.members[8]);
    let play = member.play.to_string();
    deployment.ban(&member.chat, json!({})).await;
    assert!(deployment.is_banned(&play).await, "by the link");
    let list = deployment.moderation("play/bans/active");
    let before = deployment.api().get(&list).await.ok();
    assert_eq!(before["bans"][0]["identifier"], play.as_str());

    let remove = ["links", "remove", "--guild", &guild.id];
    let args = [&remove[..], &["--chat", &member.chat]].concat();
    deployment.command(&args).await.succeeded();
    eventually("the game account is no longer banned", FELT, async || {
        (!deployment.is_banned(&play).await).then_some(())
    })
    .await;
    assert!(deployment.is_banned(&member.chat).await);
    let since = format!("{list}?since={}", before["revision"]);
    let changed = deployment.api().get(&since).await.ok();
    assert_eq!(changed["bans"][0]["identifier"], member.chat.as_str(), "{changed}");
    deployment.api().get(&format!("/lookup/chat/{}", member.chat)).await.refused(404, &[]);
    let entry = &deployment.audit("links.remove").await[0];
    assert_eq!(entry["target_id"], member.chat.as_str());
    let linked = json!({ "play_id": member.play, "play_username": member.name, "verified_at": "2026-04-12T18:33:21Z", "source": "import" });
    assert_eq!(entry["metadata"]["before"], linked);

    let by_play = other.play.to_string();
    deployment.command(&[&remove[..], &["--play", &by_play]].concat()).await.succeeded();
    assert_eq!(page(deployment, &[]).await.0.len(), 28);
    assert!(deployment.command(&args).await.refused().contains("is not linked"));
    assert_eq!(deployment.command(&remove).await.code, Some(2), "no account");
}
