-- The events of committed changes, which every process reads to keep its caches exact. On Postgres `position` is the
-- number of the writing transaction: transactions commit in another order than they begin. Within a
-- transaction `event_id` is in the order of writing.
CREATE TABLE change_log (
    position {position},
    event_id {uuid} NOT NULL,
    event text NOT NULL,
    created_at {time} NOT NULL
);

-- {postgres only}
CREATE INDEX change_log_by_position ON change_log (position, event_id);

CREATE INDEX change_log_by_time ON change_log (created_at);
