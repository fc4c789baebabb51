//! Tools that load and hurt the product, shared by the tests and by the programs run by hand: the stage (worlds of real
//! processes in both modes), the proxy (connections that fail when told) and the ledger (effects counted under fire); and
//! measured figures beside their targets: turns between guilds, manners towards the platforms.

pub mod figures;
pub mod ledger;
pub mod manners;
#[cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]
pub mod proxy;
#[expect(clippy::unwrap_used, reason = "a stage that cannot be set says so by panicking")]
#[expect(clippy::return_self_not_must_use, reason = "an assertion is worth making without its answer")]
pub mod stage;
pub mod turns;
