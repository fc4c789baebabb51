//! Between the processes and RabbitMQ. A call never fails for it: the job is kept, and told as 202.

use std::time::Duration;

use bench::proxy::Way;

use super::order::Order;
use super::{reports, through, through_of};

const KEPT: &[(u16, &str)] = &[(202, "")];
const DONE_OR_KEPT: &[(u16, &str)] = &[(200, ""), (202, "")];

#[test]
fn rabbitmq_is_late_cut_reset_and_silent() {
    through(&["GUILDHALL_AMQP_URL"], async |world, proxy| {
        let order = Order::next(world, 10);
        proxy.latency(Duration::from_millis(50), Duration::from_millis(50));
        order.sees("rabbitmq, 100 ms late", &[(200, "")]).await;
        proxy.heal();
        assert_eq!(order.ends_well().await.attempt, 1);

        let order = Order::next(world, 1);
        proxy.reset();
        order.sees("rabbitmq, reset", DONE_OR_KEPT).await;
        assert_eq!(order.ends_well_after("rabbitmq, reset").await.attempt, 1);

        // In the middle of a publish or of shaking hands, again and again.
        let order = Order::next(world, 1);
        proxy.cut_after(Way::ToTarget, 100);
        order.sees("rabbitmq, cut after 100 bytes", DONE_OR_KEPT).await;
        reports(world, "broker", "down").await;
        let second = Order::next(world, 1);
        second.sees("rabbitmq, cut at every try", KEPT).await;
        proxy.heal();
        order.ends_well_after("rabbitmq, cut").await;
        assert_eq!(second.ends_well().await.attempt, 1);

        let order = Order::next(world, 1);
        proxy.half_open();
        order.sees("rabbitmq, half-open", KEPT).await;
        // Found out by asking, long before any keepalive of the system.
        reports(world, "broker", "down").await;
        let second = Order::next(world, 1);
        second.sees("rabbitmq, half-open and known to be", KEPT).await;
        proxy.heal();
        assert_eq!(second.ends_well_after("rabbitmq, half-open").await.attempt, 1);
        assert_eq!(order.ends_well().await.attempt, 1);
    });
}

#[test]
fn a_worker_that_rabbitmq_takes_for_alive_loses_nothing() {
    through_of(&["worker"], &["GUILDHALL_AMQP_URL"], async |world, proxy| {
        proxy.half_open();
        // The broker hands it to the worker, who will never hear of it, and takes it back when that is noticed.
        let order = Order::next(world, 1);
        order.sees("rabbitmq, half-open to the worker", KEPT).await;
        proxy.heal();
        assert_eq!(order.ends_well_after("rabbitmq, half-open to the worker").await.attempt, 1);
    });
}
