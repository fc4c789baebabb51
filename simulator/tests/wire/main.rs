//! The platform clients against the simulator, over loopback connections.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod access;
mod answers;
mod application;
mod authorize_page;
mod chat;
mod client;
mod commands;
mod connections;
mod control;
mod game_client;
mod interaction_events;
mod interactions;
mod judge;
mod life;
mod messages;
mod openid;
mod pacing;
mod peer;
mod play;
mod play_forgeries;
mod play_sign_in;
mod players;
mod raw;
mod refusals;
mod sign_in;
mod tokens;
mod wire_format;
