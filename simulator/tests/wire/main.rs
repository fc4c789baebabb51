//! The platform clients against the simulator, over loopback connections.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod access;
mod authorize_page;
mod chat;
mod control;
mod judge;
mod pacing;
mod peer;
mod play;
mod raw;
mod refusals;
mod sign_in;
mod tokens;
mod wire_format;
