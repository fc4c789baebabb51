//! What staff do: sessions, actions, the quotas they are measured by and the actions that wait for approval.

crate::dialect::change!(
    "m0009_activity",
    &[
        SESSION,
        SESSION_OPEN,
        SESSION_STALE,
        SESSION_ENDED,
        ACTION,
        ACTION_BY_GUILD,
        ACTION_NTH,
        ACTION_TIMES,
        QUOTA,
        QUOTA_BY_GUILD,
        PENDING,
        PENDING_ONCE,
        PENDING_OPEN,
    ]
);

/// Moments are whole seconds since 1970, because SQL calculates durations with them, in the same words on both
/// databases. An ended session ended at its last heartbeat, so its duration counts no silence.
const SESSION: &str = "
CREATE TABLE staff_session (
    session_id {uuid} PRIMARY KEY,
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    staff_id bigint NOT NULL,
    play_id bigint NOT NULL,
    place_id bigint NOT NULL,
    server_id text NOT NULL,
    started_second bigint NOT NULL,
    heartbeat_second bigint NOT NULL,
    ended_second bigint,
    CHECK (heartbeat_second >= started_second),
    CHECK (ended_second = heartbeat_second)
)";

/// One open session for a staff member (docs/rules.md 6).
const SESSION_OPEN: &str =
    "CREATE UNIQUE INDEX staff_session_open ON staff_session (guild_id, staff_id) WHERE ended_second IS NULL";

const SESSION_STALE: &str =
    "CREATE INDEX staff_session_stale ON staff_session (heartbeat_second) WHERE ended_second IS NULL";

/// Durations are summed from this index alone.
const SESSION_ENDED: &str = "
CREATE INDEX staff_session_ended ON staff_session (guild_id, ended_second, staff_id, started_second)
WHERE ended_second IS NOT NULL";

/// Rows are only ever added. `nth` numbers the actions of one kind by one staff member that count, from 1 without gaps,
/// in the order of `counted_at`: how many there are, and how many there were at a moment, is read off one row each, so
/// that totals over any span cost the same with a thousand rows and with a million. An action that needs approval gets
/// its number when it is approved.
const ACTION: &str = "
CREATE TABLE staff_action (
    action_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    staff_id bigint NOT NULL,
    action_type text NOT NULL CHECK (action_type IN
        ('ban', 'unban', 'mute', 'unmute', 'warn', 'kick', 'custom')),
    nth bigint CHECK (nth > 0),
    counted_at {time},
    target_id text NOT NULL,
    details {json} NOT NULL,
    session_id {uuid},
    created_at {time} NOT NULL,
    CHECK ((nth IS NULL) = (counted_at IS NULL))
)";

const ACTION_BY_GUILD: &str = "CREATE INDEX staff_action_by_guild ON staff_action (guild_id, action_id)";

const ACTION_NTH: &str = "
CREATE UNIQUE INDEX staff_action_nth ON staff_action (guild_id, staff_id, action_type, nth)
WHERE nth IS NOT NULL";

const ACTION_TIMES: &str = "
CREATE INDEX staff_action_times ON staff_action (guild_id, staff_id, action_type, counted_at, nth)
WHERE nth IS NOT NULL";

/// No scope means all staff; else the name of a staff role.
const QUOTA: &str = "
CREATE TABLE quota (
    quota_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    name text NOT NULL,
    metric text NOT NULL CHECK (metric IN
        ('ban', 'unban', 'mute', 'unmute', 'warn', 'kick', 'custom', 'minutes', 'sessions')),
    target bigint NOT NULL CHECK (target > 0),
    period text NOT NULL CHECK (period IN ('day', 'week', 'month', 'all')),
    scope_role text,
    requires_approval boolean NOT NULL,
    created_at {time} NOT NULL
)";

const QUOTA_BY_GUILD: &str = "CREATE INDEX quota_by_guild ON quota (guild_id, quota_id)";

const PENDING: &str = "
CREATE TABLE pending_action (
    pending_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    action_id bigint NOT NULL REFERENCES staff_action (action_id) ON DELETE CASCADE,
    staff_id bigint NOT NULL,
    action_type text NOT NULL,
    state text NOT NULL CHECK (state IN ('pending', 'approved', 'rejected')),
    submitted_at {time} NOT NULL,
    decided_at {time},
    decided_by bigint,
    CHECK ((state = 'pending') = (decided_at IS NULL))
)";

const PENDING_ONCE: &str = "CREATE UNIQUE INDEX pending_action_once ON pending_action (action_id)";

const PENDING_OPEN: &str =
    "CREATE INDEX pending_action_open ON pending_action (guild_id, pending_id) WHERE state = 'pending'";
