//! Tests that kill, freeze, disconnect or reconfigure processes. Each has a deployment of its own, and servers of its own
//! if it stops them. `.config/nextest.toml` limits how many tests of the modules `kills` run at a time.

mod broker;
mod chaos;
mod faults;
mod gateway;
mod kills;
pub(crate) mod leading;
mod links;
mod log_channels;
mod network;
mod poison;
mod restore;
mod upgrade;
mod webhooks;
