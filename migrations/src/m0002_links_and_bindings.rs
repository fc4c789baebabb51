//! Links between chat and game accounts, and bindings from group ranks to chat roles.

crate::dialect::change!("m0002_links_and_bindings", &[LINK, LINK_BY_PLAY, BINDING, BINDING_ONCE]);

/// One game account for a chat account and the reverse, in each guild. The primary key serves the member list,
/// which pages by chat id.
const LINK: &str = "
CREATE TABLE link (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    chat_id bigint NOT NULL CHECK (chat_id > 0),
    play_id bigint NOT NULL CHECK (play_id > 0),
    play_username text NOT NULL,
    verified_at {time} NOT NULL,
    PRIMARY KEY (guild_id, chat_id)
)";

const LINK_BY_PLAY: &str = "CREATE UNIQUE INDEX link_by_play ON link (guild_id, play_id)";

const BINDING: &str = "
CREATE TABLE binding (
    binding_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('group_rank')),
    group_id bigint NOT NULL CHECK (group_id > 0),
    rank integer NOT NULL CHECK (rank BETWEEN 0 AND 255),
    role_id bigint NOT NULL CHECK (role_id > 0),
    created_at {time} NOT NULL
)";

/// The same binding twice in a guild is a conflict (docs/rules.md 5). Also serves the list of a guild's bindings.
const BINDING_ONCE: &str =
    "CREATE UNIQUE INDEX binding_once ON binding (guild_id, kind, group_id, rank, role_id)";
