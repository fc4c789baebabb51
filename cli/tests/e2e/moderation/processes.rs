//! A change made through one process is seen by the others (docs/rules.md 4).

use std::time::Duration;

use serde_json::json;

use super::{Moderating, STRANGER};
use testkit::{Deployment, distributed_only, eventually};

distributed_only!(
    a_change_on_one_api_is_seen_on_the_other_within_a_second(|setup| setup.processes(2)),
    a_check_asks_the_database_nothing_while_nothing_changed(own),
);

async fn a_change_on_one_api_is_seen_on_the_other_within_a_second(deployment: &Deployment) {
    let (one, two) = (deployment.api_number(0), deployment.api_number(1));
    let check = deployment.moderation(&format!("ban-status/{STRANGER}"));
    let body = json!({ "identifier": STRANGER, "reason": "r", "moderator_id": deployment.moderator() });
    for (verb, banned) in [("ban", true), ("unban", false), ("ban", true)] {
        // Both know the state before.
        for api in [&one, &two] {
            assert_eq!(api.get(&check).await.ok()["banned"], !banned);
        }
        one.post(&deployment.moderation(&format!("play/{verb}")), body.clone()).await.ok();
        assert_eq!(one.get(&check).await.ok()["banned"], banned, "at once where it was made");
        eventually("the other api has heard", Duration::from_secs(1), async || {
            (two.get(&check).await.ok()["banned"] == banned).then_some(())
        })
        .await;
    }
}

async fn a_check_asks_the_database_nothing_while_nothing_changed(deployment: &Deployment) {
    let member = &deployment.guild().members[22];
    let (play, clear) = (member.play.to_string(), "555100");
    deployment.ban(&member.chat, json!({})).await;
    deployment.sentence("mute", clear, json!({})).await.ok();
    assert!(
        deployment.is_banned(&play).await
            && !deployment.is_banned(clear).await
            && deployment.is_muted(clear).await
    );
    // Behind everybody's back: whoever asked the database would see it.
    let database = deployment.database.as_ref().unwrap();
    database.execute("DELETE FROM sanction").await;
    database.execute("DELETE FROM link").await;
    // Longer than an entry may live while events are not trusted.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert!(
        deployment.is_banned(&play).await
            && !deployment.is_banned(clear).await
            && deployment.is_muted(clear).await
    );
    // News of one player leave what is known of others alone.
    deployment.ban(clear, json!({})).await;
    assert!(deployment.is_banned(&play).await && deployment.is_banned(clear).await);
    assert!(!deployment.is_muted(clear).await, "read anew");
}
