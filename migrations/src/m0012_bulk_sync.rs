//! How often a guild may sync all its members: the window of its runs and that of its dry runs.

crate::dialect::change!("m0012_bulk_sync", &[BULK_SYNC]);

/// `job_id` has no foreign key: the window may outlive the job.
const BULK_SYNC: &str = "
CREATE TABLE bulk_sync (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('run', 'dry_run')),
    opened_at {time} NOT NULL,
    used integer NOT NULL CHECK (used > 0),
    job_id {uuid} NOT NULL,
    PRIMARY KEY (guild_id, kind)
)";
