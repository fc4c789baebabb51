-- The console: who is signed in, and links that sign in once (docs/rules.md 10).
--
-- Secrets of cookies and links are stored as SHA-256 hashes.

CREATE TABLE console_session (
    session_id {uuid} NOT NULL PRIMARY KEY,
    secret_hash {bytes} NOT NULL,
    user_id bigint NOT NULL CHECK (user_id > 0),
    user_name text NOT NULL,
    -- Only this guild, if a link opened the session; otherwise all guilds of the user.
    guild_id bigint REFERENCES guild (guild_id) ON DELETE CASCADE,
    -- What the user managed on the chat platform when they signed in there.
    manages {json} NOT NULL,
    -- Set by the link; used while no bot token is configured.
    admin boolean NOT NULL,
    operator boolean NOT NULL,
    client text NOT NULL,
    address text NOT NULL,
    created_at {time} NOT NULL,
    used_at {time} NOT NULL,
    expires_at {time} NOT NULL
);

CREATE UNIQUE INDEX console_session_by_secret ON console_session (secret_hash);

CREATE INDEX console_session_by_user ON console_session (user_id);

CREATE INDEX console_session_by_end ON console_session (expires_at);

CREATE TABLE console_link (
    secret_hash {bytes} NOT NULL PRIMARY KEY,
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    user_id bigint NOT NULL CHECK (user_id > 0),
    user_name text NOT NULL,
    -- Whether it makes an admin of the guild, decided when it is made.
    admin boolean NOT NULL,
    operator boolean NOT NULL,
    expires_at {time} NOT NULL
);

-- Who may see and steer the whole instance; asked at every request of a session of an operator.
CREATE TABLE console_operator (
    user_id bigint NOT NULL PRIMARY KEY CHECK (user_id > 0),
    user_name text NOT NULL,
    added_by text NOT NULL,
    added_at {time} NOT NULL
);

-- The guilds of a staff member.
CREATE INDEX staff_member_by_chat ON staff_member (chat_id);
