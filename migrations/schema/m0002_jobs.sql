-- Jobs, the worker processes that run them, operators' pauses, members that failed in a bulk job, the windows of bulk
-- syncs, the leader's lease, and the last tick of each schedule.

-- The queue's time. Clocks of processes differ, so due times and expiry use the database's clock. A function, because a
-- test of skewed clocks replaces it. SQLite has one process, which passes in its time.
-- {postgres only}
CREATE FUNCTION queue_now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT statement_timestamp()';

-- One row for each process that runs jobs, deleted when the process ends or is declared dead.
CREATE TABLE worker (
    name text PRIMARY KEY,
    host text NOT NULL,
    version text NOT NULL,
    slots {json} NOT NULL,
    started_at {time} NOT NULL,
    heartbeat_at {time} NOT NULL
);

-- A paused class or guild: its jobs are not started.
CREATE TABLE job_pause (
    pause_id {serial},
    class text,
    guild_id bigint REFERENCES guild (guild_id) ON DELETE CASCADE,
    paused_at {time} NOT NULL,
    CHECK ((class IS NULL) <> (guild_id IS NULL))
);

CREATE UNIQUE INDEX job_pause_once ON job_pause (coalesce(class, ''), coalesce(guild_id, 0));

-- `run_at` is when the job becomes available. `token` is the fencing token: each claim raises it, and every later write
-- of that run names it. `saves` counts its checkpoints.
CREATE TABLE job (
    job_id {uuid} PRIMARY KEY,
    guild_id bigint REFERENCES guild (guild_id) ON DELETE CASCADE,
    parent_id {uuid} REFERENCES job (job_id) ON DELETE CASCADE,
    kind text NOT NULL,
    class text NOT NULL CHECK (class IN ('interactive', 'default', 'bulk', 'delivery', 'maintenance', 'quarantine')),
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
    saves integer NOT NULL DEFAULT 0,
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
);

-- One unfinished job for a guild, kind and key: a second request finds the first.
CREATE UNIQUE INDEX job_dedupe ON job (coalesce(guild_id, 0), kind, dedupe_key)
WHERE dedupe_key IS NOT NULL AND finished_at IS NULL;

-- Jobs for the safety net.
CREATE INDEX job_available ON job (class, run_at) WHERE state = 'queued';

-- Jobs in flight by guild.
CREATE INDEX job_in_flight ON job (guild_id, class) WHERE state IN ('queued', 'running');

-- Jobs held by their guild's share.
CREATE INDEX job_held ON job (guild_id, class, job_id) WHERE state = 'held';

-- Running jobs of a worker process.
CREATE INDEX job_running ON job (worker) WHERE state = 'running';

CREATE INDEX job_children ON job (parent_id, state, job_id) WHERE parent_id IS NOT NULL;

-- The list of a guild's jobs: without chunks, newest first.
CREATE INDEX job_by_guild ON job (guild_id, job_id) WHERE parent_id IS NULL;

-- The unfinished ones, which live sockets of dashboards watch.
CREATE INDEX job_open ON job (guild_id, job_id) WHERE parent_id IS NULL AND finished_at IS NULL;

-- Ended jobs, for retention; chunks are deleted with their parent.
CREATE INDEX job_over ON job (finished_at) WHERE finished_at IS NOT NULL AND parent_id IS NULL;

-- Deliveries of a webhook, newest first.
CREATE INDEX job_deliveries ON job (guild_id, (CAST(args ->> 'webhook' AS text)), job_id) WHERE kind = 'deliver_webhook';

CREATE INDEX job_ticks ON job (finished_at) WHERE class = 'maintenance' AND state = 'succeeded';

CREATE TABLE job_failure (
    failure_id {serial},
    job_id {uuid} NOT NULL REFERENCES job (job_id) ON DELETE CASCADE,
    chat_id bigint NOT NULL,
    error text NOT NULL,
    message text NOT NULL,
    created_at {time} NOT NULL
);

-- One row per job and member, even if a chunk runs again.
CREATE UNIQUE INDEX job_failure_once ON job_failure (job_id, chat_id);

-- `job_id` has no foreign key: the window may outlive the job.
CREATE TABLE bulk_sync (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('run', 'dry_run')),
    opened_at {time} NOT NULL,
    used integer NOT NULL CHECK (used > 0),
    job_id {uuid} NOT NULL,
    PRIMARY KEY (guild_id, kind)
);

-- Standby processes watch the lease's number; the time is informational.
CREATE TABLE leader_lease (
    name text PRIMARY KEY,
    holder text NOT NULL,
    lease bigint NOT NULL,
    extended_at {time} NOT NULL
);

-- A tick fires when `last_tick` is raised to it, which one process can do. `job_id` is the job of the newest tick.
CREATE TABLE schedule (
    name text PRIMARY KEY,
    paused boolean NOT NULL DEFAULT false,
    last_tick {time} NOT NULL,
    job_id {uuid}
);
