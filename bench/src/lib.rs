//! Measured figures beside their targets: fairness between guilds, floods, outages, recovery, the platforms' rate
//! limits; and the chaos test, which counts effects while processes are killed. All of them run on `testkit`;
//! `run` of a measurement returns whether every target was met.

mod calls;
pub mod chaos;
pub mod door;
pub mod figures;
pub mod flood;
pub mod freshness;
pub mod http;
pub mod lists;
pub mod live_dashboard;
pub mod outage;
pub mod pages;
mod patient;
pub mod rate_limit_check;
pub mod recovery;
pub mod removal;
pub mod sockets;
pub mod turns;
mod usage;
