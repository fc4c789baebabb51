//! Load with measured figures beside their targets, and the chaos test, which counts effects while processes are
//! killed. All of them run on `testkit`; `run` of a measurement returns whether every target was met.

pub mod chaos;
pub mod chat;
mod checks;
mod connection;
pub mod door;
mod figures;
pub mod games;
pub mod http;
pub mod sockets;
mod usage;
