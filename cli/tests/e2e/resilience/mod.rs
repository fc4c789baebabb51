//! What is killed, frozen, cut off or reconfigured: each test has a deployment of its own, and servers of its own where
//! it stops them. `.config/nextest.toml` limits how many tests of the modules `kills` run at a time.

mod broker;
mod chaos;
mod faults;
mod kills;
pub(crate) mod leading;
mod network;
mod poison;
