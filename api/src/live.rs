//! Live sockets of game servers, and in `dashboard` those of dashboards (docs/rules.md 7 and 10).

pub(crate) mod dashboard;
pub(crate) mod frames;
pub(crate) mod socket;
pub(crate) mod sockets;
pub(crate) mod threads;
pub(crate) mod upgrade;
