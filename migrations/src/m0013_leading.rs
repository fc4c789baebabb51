//! Leading without comparing clocks, and one run of a schedule at a time.

crate::dialect::change!("m0013_leading", &[NOT_COMPARED, CUT_RUNS, ONE_OPEN_RUN]);

/// Whoever waits for the lease watches its number; the time is there to be looked at.
const NOT_COMPARED: &str = "ALTER TABLE leader_lease RENAME COLUMN lease_until TO extended_at";

/// Runs whose process died were left open until now. Later ticks have done their work.
const CUT_RUNS: &str = "
UPDATE fired_schedule SET finished_at = fired_at, outcome = 'cut'
WHERE finished_at IS NULL";

/// A schedule's next tick cannot be claimed while a run of it is open; it is how open runs are found, too.
const ONE_OPEN_RUN: &str =
    "CREATE UNIQUE INDEX fired_schedule_open ON fired_schedule (schedule) WHERE finished_at IS NULL";
