//! Faults between the worker and the platforms. The job is retried after the backoff; the caller gets a 202 until then.

use std::time::Duration;

use testkit::proxy::Way;

use super::order::Order;
use super::through;

#[test]
fn platforms_are_late_cut_reset_and_silent() {
    through(&["GUILDHALL_CHAT_API_URL", "GUILDHALL_PLAY_API_URL"], async |deployment, proxy| {
        let order = Order::next(deployment, 10);
        proxy.latency(Duration::from_millis(100), Duration::from_millis(100));
        order.sees("platforms, 200 ms late", &[(200, "")]).await;
        proxy.heal();
        assert_eq!(order.ends_well().await.attempt, 1);

        // A pooled connection was reset; at most one attempt fails on it.
        let order = Order::next(deployment, 10);
        proxy.reset();
        order.sees("platforms, reset", &[(200, "")]).await;
        assert!(order.ends_well_after("platforms, reset").await.attempt <= 2);

        let order = Order::next(deployment, 1);
        proxy.cut_after(Way::ToClient, 30);
        order.sees("platforms, answers cut after 30 bytes", &[(202, "")]).await;
        proxy.heal();
        assert!(order.ends_well_after("platforms, cut").await.attempt >= 2);

        let order = Order::next(deployment, 1);
        proxy.half_open();
        order.sees("platforms, half-open", &[(202, "")]).await;
        proxy.heal();
        assert!(order.ends_well_after("platforms, half-open").await.attempt >= 2);
    });
}
