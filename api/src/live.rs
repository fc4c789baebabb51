//! Live sockets of game servers and the ticks that wait, and in `dashboard` the sockets of dashboards (docs/rules.md 7 and 10).

pub(crate) mod dashboard;
pub(crate) mod frames;
pub(crate) mod held;
pub(crate) mod socket;
pub(crate) mod sockets;
pub(crate) mod threads;
pub(crate) mod upgrade;
