//! Tools that load and hurt the product, shared by the tests and by the programs run by hand: the stage (worlds of real
//! processes in both modes), the proxy (connections that fail when told) and the chaos test (effects counted while
//! processes are killed); and measured figures beside their targets: turns between guilds, floods, outages, recovery,
//! manners towards the platforms.

pub mod chaos;
pub mod figures;
pub mod flood;
pub mod manners;
pub mod outage;
#[cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]
pub mod proxy;
pub mod recovery;
#[expect(clippy::unwrap_used, reason = "a stage that cannot be set says so by panicking")]
#[expect(clippy::return_self_not_must_use, reason = "an assertion is worth making without its answer")]
pub mod stage;
pub mod turns;
