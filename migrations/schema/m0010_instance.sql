-- For operators: what waited in each class over time, why something is paused, and jobs that ended badly.

-- The depth of a class and the age of its oldest job: every minute for a day, and the worst of every 30 minutes for 30
-- days. `until` is the end of the retention.
CREATE TABLE queue_sample (
    class text NOT NULL,
    minutes integer NOT NULL CHECK (minutes IN (1, 30)),
    at {time} NOT NULL,
    waiting bigint NOT NULL CHECK (waiting >= 0),
    oldest_seconds bigint NOT NULL CHECK (oldest_seconds >= 0),
    until {time} NOT NULL,
    PRIMARY KEY (minutes, at, class)
);

CREATE INDEX queue_sample_by_end ON queue_sample (until);

ALTER TABLE job_pause ADD COLUMN reason text NOT NULL DEFAULT '';

-- The operator's chat id; NULL: the command line.
ALTER TABLE job_pause ADD COLUMN paused_by bigint;

-- Jobs that an operator may have to retry, newest first.
CREATE INDEX job_to_retry ON job (job_id) WHERE state IN ('failed', 'dead') AND parent_id IS NULL;

-- API processes; `worker` has those that run jobs.
CREATE TABLE api_process (
    name text PRIMARY KEY,
    host text NOT NULL,
    version text NOT NULL,
    started_at {time} NOT NULL,
    heartbeat_at {time} NOT NULL
);
