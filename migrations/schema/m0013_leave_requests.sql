-- Staff ask for leave; approving a request adds the leave in the same transaction (docs/rules.md 6).

CREATE TABLE leave_request (
    leave_request_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    staff_id bigint NOT NULL,
    starts_at {time} NOT NULL,
    ends_at {time} NOT NULL,
    reason text NOT NULL,
    state text NOT NULL CHECK (state IN ('requested', 'approved', 'rejected', 'withdrawn')),
    created_at {time} NOT NULL,
    decided_at {time},
    decided_by bigint,
    -- The leave that the approval added; it may be deleted later.
    loa_id bigint,
    CHECK (ends_at > starts_at),
    CHECK ((state = 'requested') = (decided_at IS NULL)),
    CHECK ((state = 'approved') = (loa_id IS NOT NULL))
);

CREATE INDEX leave_request_by_guild ON leave_request (guild_id, leave_request_id);

CREATE INDEX leave_request_by_staff ON leave_request (guild_id, staff_id, leave_request_id);

CREATE INDEX leave_request_open ON leave_request (guild_id, leave_request_id) WHERE state = 'requested';

CREATE INDEX leave_request_decided ON leave_request (decided_at) WHERE decided_at IS NOT NULL;

-- The actions, leaves, strikes and notes of one staff member.
CREATE INDEX staff_action_by_staff ON staff_action (guild_id, staff_id, action_id);

CREATE INDEX loa_by_staff ON loa (guild_id, staff_id, loa_id);

CREATE INDEX strike_by_staff ON strike (guild_id, staff_id, strike_id);

CREATE INDEX staff_note_by_staff ON staff_note (guild_id, staff_id, note_id);

-- At which hours staff are active.
CREATE INDEX staff_action_by_time ON staff_action (guild_id, created_at);
