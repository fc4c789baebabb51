//! The product through its own front doors: the binary's commands and HTTP, in both modes, one file per area,
//! mirroring the URLs. Start it with `./test`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests fail by panicking")]

mod harness;
mod health;
