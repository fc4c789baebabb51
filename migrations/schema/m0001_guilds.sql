-- Guilds (the tenants) with their settings, their API keys, links between chat and game accounts, and bindings from
-- group ranks to chat roles.

CREATE TABLE guild (
    guild_id bigint PRIMARY KEY CHECK (guild_id > 0),
    name text NOT NULL,
    shield_writer boolean NOT NULL DEFAULT false,
    mirror_bans boolean NOT NULL DEFAULT true,
    mirror_bans_per_hour integer NOT NULL DEFAULT 30 CHECK (mirror_bans_per_hour BETWEEN 0 AND 10000),
    nickname_template text NOT NULL DEFAULT '{play_username}',
    time_zone text NOT NULL DEFAULT 'UTC',
    week_start integer NOT NULL DEFAULT 1 CHECK (week_start BETWEEN 1 AND 7),
    strike_days integer NOT NULL DEFAULT 90 CHECK (strike_days BETWEEN 1 AND 3650),
    score_weights {json} NOT NULL DEFAULT '{}',
    allowed_privileged_roles {json} NOT NULL DEFAULT '[]',
    -- The rules for linking (docs/rules.md 11). By these ways members link themselves.
    link_ways {json} NOT NULL DEFAULT '["code","connection","sign_in"]',
    -- The smallest age of the chat and of the game account.
    link_min_chat_days integer NOT NULL DEFAULT 0 CHECK (link_min_chat_days BETWEEN 0 AND 3650),
    link_min_play_days integer NOT NULL DEFAULT 0 CHECK (link_min_play_days BETWEEN 0 AND 3650),
    -- Of those on the Shield list, and of those banned in the guild.
    link_flagged text NOT NULL DEFAULT 'hold' CHECK (link_flagged IN ('admit', 'hold', 'refuse')),
    link_banned text NOT NULL DEFAULT 'hold' CHECK (link_banned IN ('admit', 'hold', 'refuse')),
    -- Of every linked member, and of those whose link has ended.
    verified_role bigint CHECK (verified_role > 0),
    unverified_role bigint CHECK (unverified_role > 0),
    created_at {time} NOT NULL,
    -- Set while its rows are being deleted; requests and jobs no longer see the guild.
    removing_since {time},
    CHECK (verified_role <> unverified_role)
);

CREATE TABLE api_key (
    key_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    public_id text NOT NULL UNIQUE CHECK (length(public_id) = 8),
    secret_hash {bytes} NOT NULL CHECK (length(secret_hash) = 32),
    name text NOT NULL,
    owner_id bigint NOT NULL,
    scopes text NOT NULL,
    created_at {time} NOT NULL,
    expires_at {time},
    last_used_at {time},
    revoked_at {time},
    hot_path_factor integer NOT NULL DEFAULT 1 CHECK (hot_path_factor BETWEEN 1 AND 1000),
    -- The public id of the key that made this one. No reference: the id of a deleted key stays as the origin.
    parent text CHECK (length(parent) = 8)
);

CREATE INDEX api_key_by_guild ON api_key (guild_id, key_id);

-- Ended keys, for retention (docs/operations.md 4).
CREATE INDEX api_key_revoked ON api_key (revoked_at) WHERE revoked_at IS NOT NULL;

CREATE INDEX api_key_expired ON api_key (expires_at) WHERE expires_at IS NOT NULL;

-- One game account for a chat account and the reverse, in each guild. The primary key serves the member list,
-- which pages by chat id.
CREATE TABLE link (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    chat_id bigint NOT NULL CHECK (chat_id > 0),
    play_id bigint NOT NULL CHECK (play_id > 0),
    play_username text NOT NULL,
    verified_at {time} NOT NULL,
    -- Who says so: the member, staff, an imported file, or a key.
    source text NOT NULL DEFAULT 'import' CHECK (source IN ('member', 'staff', 'import', 'api')),
    PRIMARY KEY (guild_id, chat_id)
);

CREATE UNIQUE INDEX link_by_play ON link (guild_id, play_id);

-- The guilds of a person. Of an expression, so that no list of a guild by chat id is read by it.
CREATE INDEX link_by_person ON link ((chat_id + 0));

CREATE TABLE binding (
    binding_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('group_rank')),
    group_id bigint NOT NULL CHECK (group_id > 0),
    rank integer NOT NULL CHECK (rank BETWEEN 0 AND 255),
    role_id bigint NOT NULL CHECK (role_id > 0),
    created_at {time} NOT NULL
);

-- A duplicate binding in a guild is a conflict (docs/rules.md 5). Also serves the list of a guild's bindings.
CREATE UNIQUE INDEX binding_once ON binding (guild_id, kind, group_id, rank, role_id);
