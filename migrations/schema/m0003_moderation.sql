-- Bans and mutes with the revision that numbers each change to them in a guild, bans on the chat platform, and the
-- flags of Shield (docs/rules.md 4 and 9).

-- Raised first in every transaction that changes bans or mutes, which serializes writers of one guild, so a revision
-- seen by a client is complete.
CREATE TABLE moderation_revision (
    guild_id bigint PRIMARY KEY REFERENCES guild (guild_id) ON DELETE CASCADE,
    revision bigint NOT NULL CHECK (revision > 0),
    -- The highest revision among deleted sanctions: changes since an earlier revision are no longer known.
    forgotten bigint NOT NULL DEFAULT 0 CHECK (forgotten <= revision)
);

-- A ban or a mute. No place means every game of the guild. The mirror's job has no foreign key: the ban outlives it.
CREATE TABLE sanction (
    sanction_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('ban', 'mute')),
    chat_id bigint CHECK (chat_id > 0),
    play_id bigint CHECK (play_id > 0),
    place_id bigint CHECK (place_id >= 0),
    reason text NOT NULL,
    moderator_id bigint NOT NULL,
    -- The key that named the moderator. No foreign key: the sanction outlives it.
    key_id bigint,
    created_at {time} NOT NULL,
    expires_at {time},
    lifted_at {time},
    lifted_how text CHECK (lifted_how IN ('lifted', 'superseded', 'expired')),
    lifted_by bigint,
    mirror_state text NOT NULL CHECK (mirror_state IN
        ('none', 'held', 'pending', 'done', 'already_banned', 'protected', 'failed')),
    mirror_chat_id bigint,
    mirror_job_id {uuid},
    mirror_error text,
    revision bigint NOT NULL,
    CHECK ((chat_id IS NULL) <> (play_id IS NULL)),
    CHECK ((lifted_at IS NULL) = (lifted_how IS NULL)),
    CHECK (kind = 'ban' OR mirror_state = 'none')
);

-- At most one open for a guild, identifier, kind and place; both also find a person's. An index cannot depend on the
-- time: the sweep, or the next change of the same person, closes expired ones.
CREATE UNIQUE INDEX sanction_open_chat ON sanction (guild_id, chat_id, kind, coalesce(place_id, -1))
WHERE lifted_at IS NULL AND chat_id IS NOT NULL;

CREATE UNIQUE INDEX sanction_open_play ON sanction (guild_id, play_id, kind, coalesce(place_id, -1))
WHERE lifted_at IS NULL AND play_id IS NOT NULL;

CREATE INDEX sanction_expiry ON sanction (expires_at) WHERE lifted_at IS NULL AND expires_at IS NOT NULL;

CREATE INDEX sanction_over ON sanction (lifted_at) WHERE lifted_at IS NOT NULL;

CREATE INDEX sanction_by_kind ON sanction (guild_id, kind, sanction_id);

CREATE INDEX sanction_by_chat ON sanction (guild_id, chat_id, sanction_id) WHERE chat_id IS NOT NULL;

CREATE INDEX sanction_by_play ON sanction (guild_id, play_id, sanction_id) WHERE play_id IS NOT NULL;

CREATE INDEX sanction_by_revision ON sanction (guild_id, kind, revision);

-- Bans whose mirror waits for an approval.
CREATE INDEX sanction_held ON sanction (guild_id, sanction_id) WHERE mirror_state = 'held';

-- Counts the mirrored bans of a key.
CREATE INDEX sanction_mirrored_by_key ON sanction (key_id, created_at)
WHERE key_id IS NOT NULL AND mirror_chat_id IS NOT NULL;

CREATE INDEX sanction_by_mirror_job ON sanction (mirror_job_id) WHERE mirror_job_id IS NOT NULL;

-- Bans on the chat platform that a mirror job made or is about to make; written before the platform is called. The job
-- has no foreign key: the row outlives it.
CREATE TABLE chat_ban (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    chat_id bigint NOT NULL CHECK (chat_id > 0),
    job_id {uuid} NOT NULL,
    reason text NOT NULL,
    made boolean NOT NULL,
    PRIMARY KEY (guild_id, chat_id, job_id)
);

-- `flagged_by` is the owner of the key that wrote it, `flagged_by_guild` that key's guild. Lifted flags are deleted by retention.
CREATE TABLE shield_flag (
    flag_id {serial},
    play_id bigint NOT NULL CHECK (play_id > 0),
    play_username text NOT NULL,
    reason text NOT NULL,
    source text NOT NULL,
    flagged_by bigint NOT NULL,
    flagged_by_guild bigint REFERENCES guild (guild_id) ON DELETE SET NULL,
    flagged_at {time} NOT NULL,
    lifted_at {time},
    lifted_by bigint,
    lifted_reason text
);

CREATE UNIQUE INDEX shield_flag_active ON shield_flag (play_id) WHERE lifted_at IS NULL;

-- Counts and lists the flags of a guild.
CREATE INDEX shield_flag_by_guild ON shield_flag (flagged_by_guild, flag_id) WHERE lifted_at IS NULL;

CREATE INDEX shield_flag_lifted ON shield_flag (lifted_at) WHERE lifted_at IS NOT NULL;
