//! The SDK in servers of the harness: against a stand-in for single faults, and against the real API.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests fail by panicking")]

mod budget;
mod faults;
mod joins;
mod options;
mod real;
mod stand_in;
