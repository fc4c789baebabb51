//! Between the processes and RabbitMQ. A call never fails for it: the safety net runs the job, and the caller has the
//! result a moment later.

use std::time::Duration;

use testkit::proxy::Way;

use super::order::Order;
use super::{reports, through, through_of};

const DONE: &[(u16, &str)] = &[(200, "")];

#[test]
fn rabbitmq_is_late_cut_reset_and_silent() {
    through(&["GUILDHALL_AMQP_URL"], async |deployment, proxy| {
        let order = Order::next(deployment, 10);
        proxy.latency(Duration::from_millis(50), Duration::from_millis(50));
        order.sees("rabbitmq, 100 ms late", DONE).await;
        proxy.heal();
        assert_eq!(order.ends_well().await.attempt, 1);

        let order = Order::next(deployment, 10);
        proxy.reset();
        order.sees("rabbitmq, reset", DONE).await;
        assert_eq!(order.ends_well_after("rabbitmq, reset").await.attempt, 1);

        // In the middle of a publish or of shaking hands, again and again.
        let order = Order::next(deployment, 10);
        proxy.cut_after(Way::ToTarget, 100);
        order.sees("rabbitmq, cut after 100 bytes", DONE).await;
        reports(deployment, "broker", "down").await;
        let second = Order::next(deployment, 10);
        second.sees("rabbitmq, cut at every try", DONE).await;
        proxy.heal();
        order.ends_well_after("rabbitmq, cut").await;
        assert_eq!(second.ends_well().await.attempt, 1);

        let order = Order::next(deployment, 10);
        proxy.half_open();
        order.sees("rabbitmq, half-open", DONE).await;
        // Found out by asking, long before any keepalive of the system.
        reports(deployment, "broker", "down").await;
        let second = Order::next(deployment, 10);
        second.sees("rabbitmq, half-open and known to be", DONE).await;
        proxy.heal();
        assert_eq!(second.ends_well_after("rabbitmq, half-open").await.attempt, 1);
        assert_eq!(order.ends_well().await.attempt, 1);
    });
}

#[test]
fn a_worker_that_rabbitmq_takes_for_alive_loses_nothing() {
    through_of(&["worker"], &["GUILDHALL_AMQP_URL"], async |deployment, proxy| {
        proxy.half_open();
        // The broker sends it to the worker, which never gets it.
        let order = Order::next(deployment, 10);
        order.sees("rabbitmq, half-open to the worker", DONE).await;
        proxy.heal();
        assert_eq!(order.ends_well_after("rabbitmq, half-open to the worker").await.attempt, 1);
    });
}
