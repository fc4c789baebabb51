//! Bans, mutes, and the revision that numbers each change to them in a guild (docs/rules.md 4).

crate::dialect::change!(
    "m0006_moderation",
    &[
        REVISION,
        BAN,
        BAN_ACTIVE_CHAT,
        BAN_ACTIVE_PLAY,
        BAN_ACTIVE,
        BAN_BY_GUILD,
        BAN_BY_CHAT,
        BAN_BY_PLAY,
        BAN_BY_REVISION,
        BAN_DUE,
        BAN_BY_MIRROR_JOB,
        CHAT_BAN,
        MUTE,
        MUTE_ACTIVE_CHAT,
        MUTE_ACTIVE_PLAY,
        MUTE_ACTIVE,
        MUTE_BY_REVISION,
        MUTE_DUE,
    ]
);

/// Raised first in every transaction that changes bans or mutes, so that writers of one guild take turns and a
/// revision a client has seen is complete.
const REVISION: &str = "
CREATE TABLE moderation_revision (
    guild_id bigint PRIMARY KEY REFERENCES guild (guild_id) ON DELETE CASCADE,
    revision bigint NOT NULL CHECK (revision > 0)
)";

/// No place means every game of the guild. The mirror's job has no foreign key: the ban outlives it.
const BAN: &str = "
CREATE TABLE ban (
    ban_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    chat_id bigint CHECK (chat_id > 0),
    play_id bigint CHECK (play_id > 0),
    place_id bigint CHECK (place_id > 0),
    reason text NOT NULL,
    moderator_id bigint NOT NULL,
    created_at {time} NOT NULL,
    expires_at {time},
    lifted_at {time},
    lifted_how text CHECK (lifted_how IN ('lifted', 'superseded', 'expired')),
    lifted_by bigint,
    mirror_state text NOT NULL CHECK (mirror_state IN ('none', 'pending', 'done', 'already_banned', 'failed')),
    mirror_chat_id bigint,
    mirror_job_id {uuid},
    mirror_error text,
    revision bigint NOT NULL,
    CHECK ((chat_id IS NULL) <> (play_id IS NULL)),
    CHECK ((lifted_at IS NULL) = (lifted_how IS NULL))
)";

/// At most one for a guild, identifier and place. An index cannot know the time: what has lapsed is closed by the
/// sweep or by whoever comes next.
const BAN_ACTIVE_CHAT: &str = "
CREATE UNIQUE INDEX ban_active_chat ON ban (guild_id, chat_id, coalesce(place_id, 0))
WHERE lifted_at IS NULL AND chat_id IS NOT NULL";

const BAN_ACTIVE_PLAY: &str = "
CREATE UNIQUE INDEX ban_active_play ON ban (guild_id, play_id, coalesce(place_id, 0))
WHERE lifted_at IS NULL AND play_id IS NOT NULL";

const BAN_ACTIVE: &str = "CREATE INDEX ban_active ON ban (guild_id, ban_id) WHERE lifted_at IS NULL";

const BAN_BY_GUILD: &str = "CREATE INDEX ban_by_guild ON ban (guild_id, ban_id)";

const BAN_BY_CHAT: &str =
    "CREATE INDEX ban_by_chat ON ban (guild_id, chat_id, ban_id) WHERE chat_id IS NOT NULL";

const BAN_BY_PLAY: &str =
    "CREATE INDEX ban_by_play ON ban (guild_id, play_id, ban_id) WHERE play_id IS NOT NULL";

const BAN_BY_REVISION: &str = "CREATE INDEX ban_by_revision ON ban (guild_id, revision)";

const BAN_DUE: &str =
    "CREATE INDEX ban_due ON ban (expires_at) WHERE lifted_at IS NULL AND expires_at IS NOT NULL";

const BAN_BY_MIRROR_JOB: &str =
    "CREATE INDEX ban_by_mirror_job ON ban (mirror_job_id) WHERE mirror_job_id IS NOT NULL";

/// Bans on the chat platform that a mirror job made or is about to make; written before the platform is asked. The job
/// has no foreign key: the row outlives it.
const CHAT_BAN: &str = "
CREATE TABLE chat_ban (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    chat_id bigint NOT NULL CHECK (chat_id > 0),
    job_id {uuid} NOT NULL,
    reason text NOT NULL,
    made boolean NOT NULL,
    PRIMARY KEY (guild_id, chat_id, job_id)
)";

const MUTE: &str = "
CREATE TABLE mute (
    mute_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    chat_id bigint CHECK (chat_id > 0),
    play_id bigint CHECK (play_id > 0),
    place_id bigint CHECK (place_id > 0),
    reason text NOT NULL,
    moderator_id bigint NOT NULL,
    created_at {time} NOT NULL,
    expires_at {time},
    lifted_at {time},
    lifted_how text CHECK (lifted_how IN ('lifted', 'superseded', 'expired')),
    lifted_by bigint,
    revision bigint NOT NULL,
    CHECK ((chat_id IS NULL) <> (play_id IS NULL)),
    CHECK ((lifted_at IS NULL) = (lifted_how IS NULL))
)";

const MUTE_ACTIVE_CHAT: &str = "
CREATE UNIQUE INDEX mute_active_chat ON mute (guild_id, chat_id, coalesce(place_id, 0))
WHERE lifted_at IS NULL AND chat_id IS NOT NULL";

const MUTE_ACTIVE_PLAY: &str = "
CREATE UNIQUE INDEX mute_active_play ON mute (guild_id, play_id, coalesce(place_id, 0))
WHERE lifted_at IS NULL AND play_id IS NOT NULL";

const MUTE_ACTIVE: &str = "CREATE INDEX mute_active ON mute (guild_id, mute_id) WHERE lifted_at IS NULL";

const MUTE_BY_REVISION: &str = "CREATE INDEX mute_by_revision ON mute (guild_id, revision)";

const MUTE_DUE: &str =
    "CREATE INDEX mute_due ON mute (expires_at) WHERE lifted_at IS NULL AND expires_at IS NOT NULL";
