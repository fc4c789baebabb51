//! Faults between the processes and Postgres. Calls are refused with 503 until it is back.

use std::time::Duration;

use testkit::proxy::Way;

use super::order::Order;
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

        let order = Order::next(deployment, 5);
        proxy.reset();
        order.sees("postgres, reset", DONE_KEPT_OR_REFUSED).await;
        order.ends_well_after("postgres, reset").await;

        let order = Order::next(deployment, 5);
        proxy.cut_after(Way::ToClient, 40);
        order.sees("postgres, answers cut after 40 bytes", REFUSED).await;
        reports(deployment, "database", "down").await;
        proxy.heal();
        order.ends_well_after("postgres, cut").await;

        let order = Order::next(deployment, 1);
        proxy.half_open();
        order.sees("postgres, half-open", REFUSED).await;
        reports(deployment, "database", "down").await;
        proxy.heal();
        order.ends_well_after("postgres, half-open").await;
    });
}
