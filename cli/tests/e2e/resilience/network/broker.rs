//! Faults between the processes and RabbitMQ. No call fails: the safety net runs the job, and the caller gets the result
//! a little later.

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

        // Each connection is cut during the handshake or a publish.
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
        // The periodic check of the connection detects it, before any TCP keepalive.
        reports(deployment, "broker", "down").await;
        let second = Order::next(deployment, 10);
        second.sees("rabbitmq, half-open and known to be", DONE).await;
        proxy.heal();
        assert_eq!(second.ends_well_after("rabbitmq, half-open").await.attempt, 1);
        assert_eq!(order.ends_well().await.attempt, 1);
    });
}

#[test]
fn a_worker_with_a_half_open_connection_runs_the_jobs_of_lost_messages() {
    through_of(&["worker"], &["GUILDHALL_AMQP_URL"], async |deployment, proxy| {
        proxy.half_open();
        // The broker sends the message, but the worker does not receive it.
        let order = Order::next(deployment, 10);
        order.sees("rabbitmq, half-open to the worker", DONE).await;
        proxy.heal();
        assert_eq!(order.ends_well_after("rabbitmq, half-open to the worker").await.attempt, 1);
    });
}
