//! Tools that load and hurt the product, shared by the tests and by the programs run by hand: the stage (worlds of real
//! processes in both modes).

#[expect(clippy::unwrap_used, reason = "a stage that cannot be set says so by panicking")]
#[expect(clippy::return_self_not_must_use, reason = "an assertion is worth making without its answer")]
pub mod stage;
