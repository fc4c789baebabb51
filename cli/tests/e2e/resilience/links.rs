//! Links by every way while the processes that make them are killed, at the fail points and at any moment (docs/rules.md 11).

mod kills;
mod outcome;
mod victims;
mod ways;
