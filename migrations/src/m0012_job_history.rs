//! What a job's tries ran into, how many of its runs were lost with their worker, and when its progress was last noted.

crate::dialect::change!("m0012_job_history", &[ERRORS, LOSSES, PROGRESS_AT]);

/// An array, newest last; null for a job that never failed.
const ERRORS: &str = "ALTER TABLE job ADD COLUMN errors {json}";

/// Runs in a row that ended with their worker, without a word.
const LOSSES: &str = "ALTER TABLE job ADD COLUMN losses integer NOT NULL DEFAULT 0 CHECK (losses >= 0)";

/// The estimated time goes by the speed up to here.
const PROGRESS_AT: &str = "ALTER TABLE job ADD COLUMN progress_at {time}";
