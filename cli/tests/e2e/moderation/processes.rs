//! A change made through one process is seen by the others (decisions 4).

use std::time::Duration;

use serde_json::json;

use super::STRANGER;
use crate::harness::{World, distributed_only, eventually};

distributed_only!(a_change_on_one_api_is_seen_on_the_other_within_a_second(|setup| setup.processes(2)));

async fn a_change_on_one_api_is_seen_on_the_other_within_a_second(world: &World) {
    let (one, two) = (world.api_number(0), world.api_number(1));
    let check = world.moderation(&format!("ban-status/{STRANGER}"));
    let body = json!({ "identifier": STRANGER, "reason": "r", "moderator_id": world.moderator() });
    for (verb, banned) in [("ban", true), ("unban", false), ("ban", true)] {
        // Both know the state before.
        for api in [&one, &two] {
            assert_eq!(api.get(&check).await.ok()["banned"], !banned);
        }
        one.post(&world.moderation(&format!("play/{verb}")), body.clone()).await.ok();
        assert_eq!(one.get(&check).await.ok()["banned"], banned, "at once where it was made");
        eventually("the other api has heard", Duration::from_secs(1), async || {
            (two.get(&check).await.ok()["banned"] == banned).then_some(())
        })
        .await;
    }
}
