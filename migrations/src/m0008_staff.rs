//! Staff: roles, members, leaves of absence, strikes and notes (docs/rules.md 6).
//!
//! What is written about people (leave, strikes, notes) refers to no member row: it outlives their time as staff.

crate::dialect::change!(
    "m0008_staff",
    &[
        ROLE,
        MEMBER,
        MEMBER_BY_ROLE,
        LOA,
        LOA_BY_GUILD,
        LOA_ACTIVE,
        LOA_DUE,
        STRIKE,
        STRIKE_BY_GUILD,
        STRIKE_ACTIVE,
        STRIKE_DUE,
        NOTE,
        NOTE_BY_GUILD,
    ]
);

const ROLE: &str = "
CREATE TABLE staff_role (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    role_id bigint NOT NULL CHECK (role_id > 0),
    role_name text NOT NULL,
    permissions {json} NOT NULL,
    play_permissions {json} NOT NULL,
    created_at {time} NOT NULL,
    PRIMARY KEY (guild_id, role_id)
)";

/// A role that members hold cannot be deleted.
const MEMBER: &str = "
CREATE TABLE staff_member (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    chat_id bigint NOT NULL CHECK (chat_id > 0),
    role_id bigint NOT NULL,
    joined_at {time} NOT NULL,
    PRIMARY KEY (guild_id, chat_id),
    FOREIGN KEY (guild_id, role_id) REFERENCES staff_role (guild_id, role_id)
)";

const MEMBER_BY_ROLE: &str = "CREATE INDEX staff_member_by_role ON staff_member (guild_id, role_id)";

const LOA: &str = "
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
)";

const LOA_BY_GUILD: &str = "CREATE INDEX loa_by_guild ON loa (guild_id, loa_id)";

const LOA_ACTIVE: &str =
    "CREATE INDEX loa_active ON loa (guild_id, staff_id, ends_at) WHERE status = 'active'";

const LOA_DUE: &str = "CREATE INDEX loa_due ON loa (ends_at) WHERE status = 'active'";

const STRIKE: &str = "
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
)";

const STRIKE_BY_GUILD: &str = "CREATE INDEX strike_by_guild ON strike (guild_id, strike_id)";

const STRIKE_ACTIVE: &str =
    "CREATE INDEX strike_active ON strike (guild_id, staff_id, expires_at) WHERE ended_at IS NULL";

const STRIKE_DUE: &str = "CREATE INDEX strike_due ON strike (expires_at) WHERE ended_at IS NULL";

const NOTE: &str = "
CREATE TABLE staff_note (
    note_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    staff_id bigint NOT NULL,
    author_id bigint NOT NULL,
    body text NOT NULL,
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL
)";

const NOTE_BY_GUILD: &str = "CREATE INDEX staff_note_by_guild ON staff_note (guild_id, note_id)";
