//! `/play/...`: what game servers call about themselves (docs/rules.md 6 and 7), and what is kept in memory so that
//! their heartbeats and polls cost the database next to nothing.

mod commands;
mod fields;
mod games;
mod heartbeats;
mod news;
mod servers;
mod sessions;
mod waiting;

pub(crate) use commands::{ack, announce, poll, queue, read as read_command};
pub(crate) use fields::{OrStudio, ServerId, Target};
pub(crate) use games::register;
pub(crate) use heartbeats::{Heartbeats, write_batches};
pub(crate) use news::listen;
pub(crate) use servers::{KnownServers, heartbeat};
pub(crate) use sessions::Sessions;
pub(crate) use waiting::{Command, OwnServer, Waiting, read as read_waiting};
