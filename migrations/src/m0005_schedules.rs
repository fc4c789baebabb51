//! Which scheduler leads, and how far each schedule is.

crate::dialect::change!("m0005_schedules", &[LEADER_LEASE, SCHEDULE]);

/// Whoever waits for the lease watches its number; the time is there to be looked at.
const LEADER_LEASE: &str = "
CREATE TABLE leader_lease (
    name text PRIMARY KEY,
    holder text NOT NULL,
    lease bigint NOT NULL,
    extended_at {time} NOT NULL
)";

/// A tick fires when `last_tick` is raised to it, which one process can do. `job_id` is the job of the newest tick.
const SCHEDULE: &str = "
CREATE TABLE schedule (
    name text PRIMARY KEY,
    paused boolean NOT NULL DEFAULT false,
    last_tick {time} NOT NULL,
    job_id {uuid}
)";
