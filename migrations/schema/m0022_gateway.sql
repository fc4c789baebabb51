-- The chat platform's event stream: where each of its shards stands. Its process writes it with what follows from the events.
CREATE TABLE gateway_shard (
    shard integer PRIMARY KEY CHECK (shard >= 0),
    shards integer NOT NULL CHECK (shards > shard),
    -- The process that reads it: no other one writes its place.
    holder text NOT NULL,
    -- Null: the next connection begins a new session.
    session text,
    sequence bigint NOT NULL,
    resume_url text,
    -- All events until then have been read.
    seen_at {time} NOT NULL
);

-- In which state a sync left each linked member, so that an event says by itself whether somebody changed it.
CREATE TABLE synced_member (
    guild_id bigint NOT NULL,
    chat_id bigint NOT NULL,
    -- Digests of the managed roles and the nickname: at the end, and on the way there.
    states {json} NOT NULL,
    -- When an event last led to a sync.
    repaired_at {time},
    PRIMARY KEY (guild_id, chat_id),
    FOREIGN KEY (guild_id, chat_id) REFERENCES link (guild_id, chat_id) ON DELETE CASCADE
);

-- Members who have joined, and must first pass the screening of their guild.
CREATE TABLE screened_member (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    chat_id bigint NOT NULL,
    joined_at {time} NOT NULL,
    PRIMARY KEY (guild_id, chat_id)
);

-- Bans that others make or lift on the chat platform are made and lifted here.
ALTER TABLE guild ADD COLUMN follow_bans boolean NOT NULL DEFAULT false;

-- What a member without a link gets who joins, beside the guild's unverified role.
ALTER TABLE guild ADD COLUMN join_notice text NOT NULL DEFAULT 'none'
    CHECK (join_notice IN ('none', 'channel', 'direct_message'));
ALTER TABLE guild ADD COLUMN join_channel bigint;
