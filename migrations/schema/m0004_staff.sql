-- Staff: roles, members, leaves of absence, strikes and notes; their sessions and actions, the quotas that measure
-- them, and the actions that wait for approval (docs/rules.md 6).
--
-- Rows about people reference no member row: they outlive the membership.

CREATE TABLE staff_role (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    role_id bigint NOT NULL CHECK (role_id > 0),
    role_name text NOT NULL,
    permissions {json} NOT NULL,
    play_permissions {json} NOT NULL,
    created_at {time} NOT NULL,
    PRIMARY KEY (guild_id, role_id)
);

-- A role that members hold cannot be deleted.
CREATE TABLE staff_member (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    chat_id bigint NOT NULL CHECK (chat_id > 0),
    role_id bigint NOT NULL,
    joined_at {time} NOT NULL,
    PRIMARY KEY (guild_id, chat_id),
    FOREIGN KEY (guild_id, role_id) REFERENCES staff_role (guild_id, role_id)
);

CREATE INDEX staff_member_by_role ON staff_member (guild_id, role_id);

CREATE TABLE loa (
    loa_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    staff_id bigint NOT NULL,
    starts_at {time} NOT NULL,
    ends_at {time} NOT NULL,
    reason text NOT NULL,
    status text NOT NULL CHECK (status IN ('active', 'expired')),
    created_at {time} NOT NULL,
    CHECK (ends_at > starts_at)
);

CREATE INDEX loa_by_guild ON loa (guild_id, loa_id);

CREATE INDEX loa_active ON loa (guild_id, staff_id, ends_at) WHERE status = 'active';

CREATE INDEX loa_due ON loa (ends_at) WHERE status = 'active';

CREATE TABLE strike (
    strike_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    staff_id bigint NOT NULL,
    reason text NOT NULL,
    severity integer NOT NULL CHECK (severity BETWEEN 1 AND 10),
    issued_by bigint NOT NULL,
    created_at {time} NOT NULL,
    expires_at {time} NOT NULL,
    ended_at {time},
    ended_how text CHECK (ended_how IN ('removed', 'expired')),
    CHECK ((ended_at IS NULL) = (ended_how IS NULL))
);

CREATE INDEX strike_by_guild ON strike (guild_id, strike_id);

CREATE INDEX strike_active ON strike (guild_id, staff_id, expires_at) WHERE ended_at IS NULL;

CREATE INDEX strike_due ON strike (expires_at) WHERE ended_at IS NULL;

CREATE TABLE staff_note (
    note_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    staff_id bigint NOT NULL,
    author_id bigint NOT NULL,
    body text NOT NULL,
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL
);

CREATE INDEX staff_note_by_guild ON staff_note (guild_id, note_id);

-- Times are whole seconds since 1970, because SQL calculates durations with them, identically on both databases. A
-- session ends at its last heartbeat, so its duration includes no silence.
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
);

-- One open session for a staff member (docs/rules.md 6).
CREATE UNIQUE INDEX staff_session_open ON staff_session (guild_id, staff_id) WHERE ended_second IS NULL;

CREATE INDEX staff_session_stale ON staff_session (heartbeat_second) WHERE ended_second IS NULL;

-- Durations are summed from this index alone.
CREATE INDEX staff_session_ended ON staff_session (guild_id, ended_second, staff_id, started_second)
WHERE ended_second IS NOT NULL;

CREATE INDEX staff_session_over ON staff_session (ended_second) WHERE ended_second IS NOT NULL;

-- What the deleted sessions of a staff member add to totals over all time.
CREATE TABLE staff_session_sum (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    staff_id bigint NOT NULL,
    sessions bigint NOT NULL CHECK (sessions > 0),
    seconds bigint NOT NULL CHECK (seconds >= 0),
    PRIMARY KEY (guild_id, staff_id)
);

-- `nth` numbers the counted actions of one kind by one staff member, from 1 without gaps, in
-- the order of `counted_at`: a total, now or at a given time, is read from one row, so its cost does not depend on the
-- row count. An action that needs approval gets its number when it is approved, at the time it was done. Of old rows the retention leaves the last
-- one of each kind and member, which is then `summed`: its number is the sum of those that were deleted.
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
    summed boolean NOT NULL DEFAULT false,
    CHECK ((nth IS NULL) = (counted_at IS NULL))
);

CREATE INDEX staff_action_by_guild ON staff_action (guild_id, action_id);

CREATE UNIQUE INDEX staff_action_nth ON staff_action (guild_id, staff_id, action_type, nth)
WHERE nth IS NOT NULL;

CREATE INDEX staff_action_times ON staff_action (guild_id, staff_id, action_type, counted_at, nth)
WHERE nth IS NOT NULL;

CREATE INDEX staff_action_old ON staff_action (counted_at) WHERE nth IS NOT NULL AND NOT summed;

CREATE INDEX staff_action_uncounted ON staff_action (created_at) WHERE nth IS NULL;

-- Without a scope: all staff; else the name of a staff role.
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
);

CREATE INDEX quota_by_guild ON quota (guild_id, quota_id);

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
);

CREATE UNIQUE INDEX pending_action_once ON pending_action (action_id);

CREATE INDEX pending_action_open ON pending_action (guild_id, pending_id) WHERE state = 'pending';

CREATE INDEX pending_action_decided ON pending_action (decided_at) WHERE decided_at IS NOT NULL;
