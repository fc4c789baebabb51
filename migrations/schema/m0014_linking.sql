-- Accounts that members have proven, and their attempts to link (docs/rules.md 11).

-- One row for each proven person of the instance. Nothing of a guild reads it.
CREATE TABLE account (
    chat_id bigint NOT NULL PRIMARY KEY CHECK (chat_id > 0),
    play_id bigint NOT NULL UNIQUE CHECK (play_id > 0),
    play_username text NOT NULL,
    way text NOT NULL CHECK (way IN ('code', 'profile', 'connection', 'sign_in')),
    proven_at {time} NOT NULL
);

-- An attempt of one chat user to link in one guild. It ends once.
CREATE TABLE link_attempt (
    attempt_id {uuid} NOT NULL PRIMARY KEY,
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    chat_id bigint NOT NULL CHECK (chat_id > 0),
    chat_name text NOT NULL,
    state text NOT NULL CHECK (state IN ('open', 'proven', 'held', 'ended')),
    -- SHA-256 of the code that is typed in a game.
    code_hash {bytes} NOT NULL CHECK (length(code_hash) = 32),
    -- For the text of a profile.
    words text NOT NULL,
    tries integer NOT NULL DEFAULT 0,
    way text CHECK (way IN ('code', 'profile', 'connection', 'sign_in')),
    play_id bigint CHECK (play_id > 0),
    play_username text,
    -- Why staff must decide.
    held_for text,
    outcome text CHECK (outcome IN ('linked', 'rejected', 'cancelled', 'replaced', 'locked')),
    created_at {time} NOT NULL,
    expires_at {time} NOT NULL,
    ended_at {time},
    decided_by bigint,
    -- The code was confirmed by a trusted key.
    trusted boolean NOT NULL DEFAULT false,
    CHECK (state <> 'proven' OR play_id IS NOT NULL),
    CHECK ((state = 'ended') = (outcome IS NOT NULL))
);

-- One attempt at a time for each chat user in a guild.
CREATE UNIQUE INDEX link_attempt_open ON link_attempt (guild_id, chat_id) WHERE state <> 'ended';

CREATE UNIQUE INDEX link_attempt_by_code ON link_attempt (guild_id, code_hash) WHERE state IN ('open', 'proven');

CREATE INDEX link_attempt_held ON link_attempt (guild_id, attempt_id) WHERE state = 'held';

CREATE INDEX link_attempt_by_player ON link_attempt (play_id) WHERE state IN ('proven', 'held');

-- What the guild tells members who have just linked themselves.
ALTER TABLE guild ADD COLUMN link_message text CHECK (length(link_message) BETWEEN 1 AND 500);

-- Its codes prove for the whole instance; operators say so.
ALTER TABLE api_key ADD COLUMN trusted boolean NOT NULL DEFAULT false;

-- For retention.
CREATE INDEX link_attempt_by_end ON link_attempt (expires_at);
