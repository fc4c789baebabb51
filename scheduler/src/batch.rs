//! The size of a batch of a sweep.

/// Rows in one batch, so that no batch holds locks for long.
pub(crate) const ROWS_PER_BATCH: u64 = 500;
