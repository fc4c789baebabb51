//! The job queue with real databases and brokers. Each test runs in embedded mode (SQLite, in-process) and in distributed
//! mode (Postgres, RabbitMQ, Redis), with a manual clock: no test waits for a backoff or a stale heartbeat.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod crash;
mod family;
mod fence;
mod fixture;
mod heartbeat;
mod kinds;
mod lifecycle;
mod pause;
mod retry;
mod safety_net;
mod spans;
mod turns;
