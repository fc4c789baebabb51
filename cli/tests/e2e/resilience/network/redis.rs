//! Faults between the processes and Redis. Reads are answered; writes that Redis counts are refused with 503 at once.

use std::time::{Duration, Instant};

use testkit::proxy::Way;

use super::order::Order;
use super::{reports, through};
use testkit::{Api, Deployment, eventually};

const REFUSED: &[(u16, &str)] = &[(503, "limits_unavailable")];

/// Limit for an immediate refusal on a loaded machine.
const AT_ONCE: Duration = Duration::from_secs(5);

#[test]
fn redis_is_late_cut_reset_and_silent() {
    through(&["GUILDHALL_REDIS_URL"], async |deployment, proxy| {
        let order = Order::next(deployment, 10);
        proxy.latency(Duration::from_millis(25), Duration::from_millis(25));
        order.sees("redis, 50 ms late", &[(200, "")]).await;
        proxy.heal();
        assert_eq!(order.ends_well().await.attempt, 1);

        let order = Order::next(deployment, 5);
        proxy.reset();
        order.sees("redis, reset", &[(200, ""), (202, ""), (503, "limits_unavailable")]).await;
        order.ends_well_after("redis, reset").await;

        let order = Order::next(deployment, 5);
        proxy.cut_after(Way::ToTarget, 20);
        reads_answer(deployment).await;
        reports(deployment, "redis", "down").await;
        order.sees("redis, cut after 20 bytes", REFUSED).await;
        a_revoked_key_is_refused(deployment).await;
        proxy.heal();
        assert_eq!(order.ends_well_after("redis, cut").await.attempt, 1);

        let order = Order::next(deployment, 5);
        proxy.half_open();
        reads_answer(deployment).await;
        reports(deployment, "redis", "down").await;
        order.sees("redis, half-open", REFUSED).await;
        reads_answer(deployment).await;
        proxy.heal();
        assert_eq!(order.ends_well_after("redis, half-open").await.attempt, 1);
    });
}

/// A command revokes a key, and the API refuses it soon after.
async fn a_revoked_key_is_refused(deployment: &Deployment) {
    let key = deployment.new_key("read").await;
    let path = format!("/lookup/chat/{}", deployment.guild().members[0].chat);
    let api = Api::new(&deployment.api_base(0)).key(&key);
    api.get(&path).await.ok();
    deployment.command(&["keys", "revoke", &key[3..11]]).await.succeeded();
    // Far less than the minute that an entry once lived.
    eventually("the key is refused", Duration::from_secs(5), async || {
        (api.get(&path).await.status == 401).then_some(())
    })
    .await;
}

async fn reads_answer(deployment: &Deployment) {
    let asked = Instant::now();
    let path = format!("/lookup/chat/{}", deployment.guild().members[0].chat);
    deployment.api().get(&path).await.ok();
    assert!(asked.elapsed() < AT_ONCE, "{:?}", asked.elapsed());
}
