//! Jobs, the worker processes that run them, what operators paused, and what failed for single members of a bulk.

crate::dialect::change!(
    "m0003_jobs",
    &[
        QUEUE_NOW,
        WORKER,
        PAUSE,
        PAUSE_ONCE,
        JOB,
        DEDUPE,
        AVAILABLE,
        IN_FLIGHT,
        HELD,
        RUNNING,
        CHILDREN,
        BY_GUILD,
        FAILURE,
        FAILURE_ONCE
    ]
);

/// The queue's time. Processes disagree about the time of day, so what is due and who is stale goes by the database's
/// clock. A function, because a test of skewed clocks replaces it. SQLite has one process, whose clock is handed in.
const QUEUE_NOW: &str = "{postgres only}
CREATE FUNCTION queue_now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT statement_timestamp()'";

/// One row for each process that runs jobs. It is deleted when the process ends or was declared dead.
const WORKER: &str = "
CREATE TABLE worker (
    name text PRIMARY KEY,
    host text NOT NULL,
    version text NOT NULL,
    slots {json} NOT NULL,
    started_at {time} NOT NULL,
    heartbeat_at {time} NOT NULL
)";

/// A class or a guild whose jobs are not started.
const PAUSE: &str = "
CREATE TABLE job_pause (
    pause_id {serial},
    class text,
    guild_id bigint REFERENCES guild (guild_id) ON DELETE CASCADE,
    paused_at {time} NOT NULL,
    CHECK ((class IS NULL) <> (guild_id IS NULL))
)";

const PAUSE_ONCE: &str =
    "CREATE UNIQUE INDEX job_pause_once ON job_pause (coalesce(class, ''), coalesce(guild_id, 0))";

/// `run_at` is when the job becomes available. `token` is the fencing token: each claim raises it, and every later write
/// of that run names it.
const JOB: &str = "
CREATE TABLE job (
    job_id {uuid} PRIMARY KEY,
    guild_id bigint REFERENCES guild (guild_id) ON DELETE CASCADE,
    parent_id {uuid} REFERENCES job (job_id) ON DELETE CASCADE,
    kind text NOT NULL,
    class text NOT NULL CHECK (class IN ('interactive', 'default', 'bulk', 'maintenance', 'quarantine')),
    args {json} NOT NULL,
    state text NOT NULL CHECK (state IN
        ('queued', 'held', 'running', 'waiting', 'succeeded', 'failed', 'dead', 'cancelled')),
    attempt integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    max_attempts integer NOT NULL CHECK (max_attempts > 0),
    crashes integer NOT NULL DEFAULT 0 CHECK (crashes >= 0),
    token bigint NOT NULL DEFAULT 0,
    worker text,
    run_at {time} NOT NULL,
    reply_to text,
    dedupe_key text,
    progress_done bigint NOT NULL DEFAULT 0,
    progress_total bigint NOT NULL DEFAULT 0,
    progress_failed bigint NOT NULL DEFAULT 0,
    progress_at {time},
    checkpoint {json},
    cancel_requested boolean NOT NULL DEFAULT false,
    result {json},
    error {json},
    errors {json},
    actor_id bigint,
    key_id bigint,
    request_id text,
    created_at {time} NOT NULL,
    started_at {time},
    finished_at {time},
    CHECK (state <> 'running' OR worker IS NOT NULL),
    CHECK ((state IN ('succeeded', 'failed', 'dead', 'cancelled')) = (finished_at IS NOT NULL))
)";

/// One unfinished job for a guild, kind and key: a second request finds the first.
const DEDUPE: &str = "
CREATE UNIQUE INDEX job_dedupe ON job (coalesce(guild_id, 0), kind, dedupe_key)
WHERE dedupe_key IS NOT NULL AND finished_at IS NULL";

/// What the safety net looks for.
const AVAILABLE: &str = "CREATE INDEX job_available ON job (class, run_at) WHERE state = 'queued'";

/// How much of a guild's share is in use.
const IN_FLIGHT: &str =
    "CREATE INDEX job_in_flight ON job (guild_id, class) WHERE state IN ('queued', 'running')";

/// What waits for its guild's turn.
const HELD: &str = "CREATE INDEX job_held ON job (guild_id, class, job_id) WHERE state = 'held'";

/// What a worker process runs.
const RUNNING: &str = "CREATE INDEX job_running ON job (worker) WHERE state = 'running'";

const CHILDREN: &str =
    "CREATE INDEX job_children ON job (parent_id, state, job_id) WHERE parent_id IS NOT NULL";

/// The list of a guild's jobs: no chunks in it, newest first.
const BY_GUILD: &str = "CREATE INDEX job_by_guild ON job (guild_id, job_id) WHERE parent_id IS NULL";

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
