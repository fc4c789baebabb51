//! Guilds (the tenants) with their settings, and API keys.

crate::dialect::change!("m0001_guilds", &[GUILD, API_KEY, API_KEY_BY_GUILD]);

const GUILD: &str = "
CREATE TABLE guild (
    guild_id bigint PRIMARY KEY CHECK (guild_id > 0),
    name text NOT NULL,
    shield_writer boolean NOT NULL DEFAULT false,
    mirror_bans boolean NOT NULL DEFAULT true,
    nickname_template text NOT NULL DEFAULT '{play_username}',
    time_zone text NOT NULL DEFAULT 'UTC',
    week_start integer NOT NULL DEFAULT 1 CHECK (week_start BETWEEN 1 AND 7),
    strike_days integer NOT NULL DEFAULT 90 CHECK (strike_days BETWEEN 1 AND 3650),
    score_weights {json} NOT NULL DEFAULT '{}',
    created_at {time} NOT NULL
)";

const API_KEY: &str = "
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
    hot_path_factor integer NOT NULL DEFAULT 1 CHECK (hot_path_factor BETWEEN 1 AND 1000)
)";

const API_KEY_BY_GUILD: &str = "CREATE INDEX api_key_by_guild ON api_key (guild_id, key_id)";
