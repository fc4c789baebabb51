//! Which scheduler leads, and which ticks of which schedule have fired.

crate::dialect::change!("m0005_schedules", &[LEADER_LEASE, FIRED_SCHEDULE]);

const LEADER_LEASE: &str = "
CREATE TABLE leader_lease (
    name text PRIMARY KEY,
    holder text NOT NULL,
    lease bigint NOT NULL,
    lease_until {time} NOT NULL
)";

/// The primary key is the promise that no tick fires twice, whatever two schedulers believe of each other.
const FIRED_SCHEDULE: &str = "
CREATE TABLE fired_schedule (
    schedule text NOT NULL,
    tick {time} NOT NULL,
    holder text NOT NULL,
    fired_at {time} NOT NULL,
    finished_at {time},
    outcome text,
    PRIMARY KEY (schedule, tick)
)";
