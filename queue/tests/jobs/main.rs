//! The job queue against real databases and brokers: each test runs embedded (SQLite, in-process) and distributed
//! (Postgres, RabbitMQ, Redis). The clock is handed in, so no test waits for a backoff or a stale heartbeat.

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
mod turns;
