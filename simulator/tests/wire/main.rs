//! The clients against the simulator, over real connections on a loopback port.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod chat;
mod control;
mod judge;
mod pacing;
mod peer;
mod play;
mod raw;
mod refusals;
mod wire_format;
