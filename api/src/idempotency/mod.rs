//! `Idempotency-Key` on any write (docs/rules.md 8).

pub(crate) mod replay;
pub(crate) mod slot;
