//! Jobs, which are the truth about work to do (the broker only rings), and what failed for single members of a bulk.

crate::dialect::change!(
    "m0003_jobs",
    &[JOB, DEDUPE, OUTBOX, QUEUED, DUE, LEASES, CHILDREN, BY_GUILD, BY_END, FAILURE, FAILURE_ONCE]
);

/// `run_at` is when the job was or will be put into the queue; null while a chunk waits for its turn.
const JOB: &str = "
CREATE TABLE job (
    job_id {uuid} PRIMARY KEY,
    guild_id bigint REFERENCES guild (guild_id) ON DELETE CASCADE,
    parent_id {uuid} REFERENCES job (job_id) ON DELETE CASCADE,
    kind text NOT NULL,
    class text NOT NULL CHECK (class IN ('interactive', 'default', 'bulk')),
    args {json} NOT NULL,
    state text NOT NULL CHECK (state IN
        ('scheduled', 'queued', 'running', 'waiting', 'retrying', 'succeeded', 'failed', 'dead', 'cancelled')),
    attempt integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    max_attempts integer NOT NULL CHECK (max_attempts > 0),
    lease bigint NOT NULL DEFAULT 0,
    lease_until {time},
    worker text,
    run_at {time},
    published_at {time},
    reply_to text,
    dedupe_key text,
    progress_done bigint NOT NULL DEFAULT 0,
    progress_total bigint NOT NULL DEFAULT 0,
    progress_failed bigint NOT NULL DEFAULT 0,
    checkpoint {json},
    cancel_requested boolean NOT NULL DEFAULT false,
    result {json},
    error {json},
    actor_id bigint,
    key_id bigint,
    request_id text,
    trace_context text,
    created_at {time} NOT NULL,
    started_at {time},
    finished_at {time},
    CHECK ((state = 'running') = (lease_until IS NOT NULL)),
    CHECK ((state IN ('succeeded', 'failed', 'dead', 'cancelled')) = (finished_at IS NOT NULL))
)";

/// One unfinished job for a guild, kind and key: a second request finds the first.
const DEDUPE: &str = "
CREATE UNIQUE INDEX job_dedupe ON job (guild_id, kind, dedupe_key)
WHERE dedupe_key IS NOT NULL AND finished_at IS NULL";

/// The outbox: queued, and no broker has confirmed it yet.
const OUTBOX: &str =
    "CREATE INDEX job_outbox ON job (run_at) WHERE state = 'queued' AND published_at IS NULL";

/// What waits in the broker, to be rung again when the broker lost it.
const QUEUED: &str = "CREATE INDEX job_queued ON job (class, published_at) WHERE state = 'queued'";

const DUE: &str =
    "CREATE INDEX job_due ON job (run_at) WHERE state IN ('scheduled', 'retrying') AND run_at IS NOT NULL";

const LEASES: &str = "CREATE INDEX job_leases ON job (lease_until) WHERE state = 'running'";

const CHILDREN: &str =
    "CREATE INDEX job_children ON job (parent_id, state, job_id) WHERE parent_id IS NOT NULL";

/// The list of a guild's jobs: no chunks in it, newest first.
const BY_GUILD: &str = "CREATE INDEX job_by_guild ON job (guild_id, job_id) WHERE parent_id IS NULL";

/// The sweep of finished jobs.
const BY_END: &str = "CREATE INDEX job_by_end ON job (finished_at) WHERE finished_at IS NOT NULL";

const FAILURE: &str = "
CREATE TABLE job_failure (
    failure_id {serial},
    job_id {uuid} NOT NULL REFERENCES job (job_id) ON DELETE CASCADE,
    chat_id bigint NOT NULL,
    error text NOT NULL,
    message text NOT NULL,
    created_at {time} NOT NULL
)";

/// A member fails once in a job, however often its chunk is run again.
const FAILURE_ONCE: &str = "CREATE UNIQUE INDEX job_failure_once ON job_failure (job_id, chat_id)";
