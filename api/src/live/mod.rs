//! Live sockets of game servers (docs/rules.md 7).

pub(crate) mod frames;
pub(crate) mod keys;
pub(crate) mod socket;
pub(crate) mod sockets;
pub(crate) mod threads;
pub(crate) mod upgrade;
