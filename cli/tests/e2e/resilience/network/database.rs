//! Faults between the processes and Postgres. Calls are refused with 503 until it is back.

use std::time::Duration;

use testkit::proxy::Way;

use serde_json::json;
use testkit::{Answer, Deployment, eventually};

use super::order::{Order, WAIT_LIMIT};
use super::{reports, through};

const REFUSED: &[(u16, &str)] = &[(503, "database_unavailable"), (503, "timeout")];
const DONE_KEPT_OR_REFUSED: &[(u16, &str)] = &[(200, ""), (202, ""), (503, "database_unavailable")];

#[test]
fn postgres_is_late_cut_reset_and_silent() {
    through(&["GUILDHALL_DATABASE_URL"], async |deployment, proxy| {
        let order = Order::next(deployment, 20);
        proxy.latency(Duration::from_millis(10), Duration::from_millis(10));
        order.sees("postgres, 20 ms late", &[(200, "")]).await;
        proxy.heal();
        assert_eq!(order.ends_well().await.attempt, 1);

        let banned = a_ban_in_memory(deployment).await;
        let order = Order::next(deployment, 5);
        proxy.reset();
        order.sees("postgres, reset", DONE_KEPT_OR_REFUSED).await;
        order.ends_well_after("postgres, reset").await;

        let order = Order::next(deployment, 5);
        proxy.cut_after(Way::ToClient, 40);
        order.sees("postgres, answers cut after 40 bytes", REFUSED).await;
        checks_go_on_from_memory(deployment, &banned).await;
        reports(deployment, "database", "down").await;
        proxy.heal();
        order.ends_well_after("postgres, cut").await;

        let order = Order::next(deployment, 1);
        proxy.half_open();
        checks_go_on_from_memory(deployment, &banned).await;
        order.sees("postgres, half-open", REFUSED).await;
        reports(deployment, "database", "down").await;
        proxy.heal();
        order.ends_well_after("postgres, half-open").await;
        eventually("the answer is fresh again", WAIT_LIMIT, async || {
            let answer = deployment.api().get(&banned).await;
            (answer.status == 200 && answer.header("x-guildhall-stale").is_none()).then_some(())
        })
        .await;
    });
}

/// Bans a player, and waits until the API has the guild in memory. Returns the path of the check.
pub(super) async fn a_ban_in_memory(deployment: &Deployment) -> String {
    let guild = &deployment.guild().id;
    let ban =
        json!({ "identifier": "7007", "reason": "r", "moderator_id": deployment.guild().members[0].chat });
    deployment.api().post(&format!("/moderation/{guild}/play/ban"), ban).await.ok();
    let check = format!("/moderation/{guild}/ban-status/7007");
    eventually("the guild is in memory", WAIT_LIMIT, async || {
        assert_eq!(deployment.api().get(&check).await.ok()["banned"], true);
        deployment.metrics(0).await.contains("guildhall_cache_entries{cache=\"moderation\"} 1").then_some(())
    })
    .await;
    tick(deployment).await.ok();
    check
}

async fn tick(deployment: &Deployment) -> Answer {
    let tick = json!({ "server_id": "s", "place_id": 1, "universe_id": 2, "sequence": 2, "players": [7007, 7008],
        "results": [{ "command_id": "0193a1c2-7c1e-7a55-9d0e-3f1b6a2c4d5e", "status": "ok" }] });
    deployment.api().post("/play/servers/tick", tick).await
}

/// Within the time that a fresh answer lasts and a read of the log may take.
pub(super) async fn checks_go_on_from_memory(deployment: &Deployment, check: &str) {
    eventually("a stale answer", Duration::from_secs(5), async || {
        let answer = deployment.api().get(check).await;
        let stale = answer.header("x-guildhall-stale") == Some("true");
        (stale && answer.ok()["banned"] == true).then_some(())
    })
    .await;
    // So does the tick of a game server, whose results are for later.
    let answer = tick(deployment).await;
    assert_eq!(answer.header("x-guildhall-stale"), Some("true"), "{answer}");
    let answer = answer.ok();
    assert_eq!((&answer["players"][0]["play_id"], &answer["acknowledged"]), (&json!(7007), &json!([])));
}
