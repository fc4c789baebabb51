-- Games, their servers, and the commands that wait for a server (docs/rules.md 6 and 7).

-- A game is registered once for a universe.
CREATE TABLE registered_game (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    universe_id bigint NOT NULL CHECK (universe_id >= 0),
    place_id bigint NOT NULL CHECK (place_id >= 0),
    name text NOT NULL,
    registered_at {time} NOT NULL,
    PRIMARY KEY (guild_id, universe_id)
);

-- `offline_at` is set by the sweep; a server is offline as soon as its last heartbeat is old enough.
CREATE TABLE game_server (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    server_id text NOT NULL,
    place_id bigint NOT NULL,
    universe_id bigint NOT NULL,
    player_count integer NOT NULL CHECK (player_count >= 0),
    first_seen_at {time} NOT NULL,
    last_heartbeat_at {time} NOT NULL,
    offline_at {time},
    PRIMARY KEY (guild_id, server_id)
);

CREATE INDEX game_server_live ON game_server (last_heartbeat_at) WHERE offline_at IS NULL;

CREATE INDEX game_server_gone ON game_server (offline_at) WHERE offline_at IS NOT NULL;

CREATE TABLE server_command (
    command_id {uuid} PRIMARY KEY,
    guild_id bigint NOT NULL,
    server_id text NOT NULL,
    kind text NOT NULL,
    target_id text NOT NULL,
    reason text NOT NULL,
    issued_by bigint NOT NULL,
    issued_at {time} NOT NULL,
    state text NOT NULL CHECK (state IN ('queued', 'acknowledged', 'expired')),
    ack_status text CHECK (ack_status IN ('ok', 'error')),
    ack_message text,
    ended_at {time},
    CHECK ((state = 'acknowledged') = (ack_status IS NOT NULL)),
    CHECK ((state = 'queued') = (ended_at IS NULL)),
    FOREIGN KEY (guild_id, server_id) REFERENCES game_server (guild_id, server_id) ON DELETE CASCADE
);

CREATE INDEX server_command_waiting ON server_command (guild_id, server_id, issued_at, command_id)
WHERE state = 'queued';

CREATE INDEX server_command_due ON server_command (issued_at) WHERE state = 'queued';

-- Ended commands, for retention.
CREATE INDEX server_command_over ON server_command (ended_at) WHERE ended_at IS NOT NULL;

CREATE INDEX server_command_by_guild ON server_command (guild_id, server_id, command_id);
