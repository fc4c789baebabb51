//! The job queue against real databases and brokers: each test runs embedded (SQLite, in-process) and distributed
//! (Postgres, RabbitMQ, Redis). The clock is handed in, so no test waits for a ladder or a lease.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod doubt;
mod family;
mod fence;
mod kinds;
mod lifecycle;
mod loss;
mod model;
mod relay;
mod world;
