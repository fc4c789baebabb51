//! Moderation with several API processes (docs/rules.md 4).

use std::time::Duration;

use serde_json::json;

use super::{Moderating, STRANGER};
use testkit::{Deployment, distributed_only, eventually};

distributed_only!(
    a_change_through_one_api_is_seen_by_the_other_within_a_second(|setup| setup.processes(2)),
    a_check_of_a_guild_in_memory_queries_no_database(own),
);

async fn a_change_through_one_api_is_seen_by_the_other_within_a_second(deployment: &Deployment) {
    let (one, two) = (deployment.api_number(0), deployment.api_number(1));
    let check = deployment.moderation(&format!("ban-status/{STRANGER}"));
    let body = json!({ "identifier": STRANGER, "reason": "r", "moderator_id": deployment.moderator() });
    for (verb, banned) in [("ban", true), ("unban", false), ("ban", true)] {
        // Both processes cache the state before the change.
        for api in [&one, &two] {
            assert_eq!(api.get(&check).await.ok()["banned"], !banned);
        }
        one.post(&deployment.moderation(&format!("play/{verb}")), body.clone()).await.ok();
        assert_eq!(one.get(&check).await.ok()["banned"], banned, "the process that made the change");
        eventually("the other api sees the change", Duration::from_secs(1), async || {
            (two.get(&check).await.ok()["banned"] == banned).then_some(())
        })
        .await;
    }
}

async fn a_check_of_a_guild_in_memory_queries_no_database(deployment: &Deployment) {
    let member = &deployment.guild().members[22];
    let (play, clear) = (member.play.to_string(), "555100");
    deployment.ban(&member.chat, json!({})).await;
    deployment.sanction("mute", clear, json!({})).await.ok();
    assert!(
        deployment.is_banned(&play).await
            && !deployment.is_banned(clear).await
            && deployment.is_muted(clear).await
    );
    eventually("the guild is in memory", Duration::from_secs(10), async || {
        deployment.metrics(0).await.contains("guildhall_cache_entries{cache=\"moderation\"} 1").then_some(())
    })
    .await;
    // Rows deleted without an event: a query of the database would no longer find them.
    let database = deployment.database.as_ref().unwrap();
    database.execute("DELETE FROM sanction").await;
    database.execute("DELETE FROM link").await;
    // Longer than an entry lives while the change log is not read.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert!(
        deployment.is_banned(&play).await
            && !deployment.is_banned(clear).await
            && deployment.is_muted(clear).await
    );
    // After an event only the accounts that it names are read again.
    deployment.ban(clear, json!({})).await;
    assert!(deployment.is_banned(&play).await && deployment.is_banned(clear).await);
    assert!(!deployment.is_muted(clear).await, "the entry was read again");
}
