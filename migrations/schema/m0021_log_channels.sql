-- Channels of the chat platform in which a guild's news are posted. `position` and `entry_id` are those of the last entry of
-- the log (not of its entries `sync.member`) that was posted or is no news there. `news` are words separated by spaces.
CREATE TABLE log_channel (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    channel_id bigint NOT NULL,
    news text NOT NULL,
    state text NOT NULL CHECK (state IN ('on', 'off', 'refused')),
    position bigint NOT NULL,
    entry_id bigint NOT NULL,
    -- No message is posted before.
    post_at {time} NOT NULL,
    created_at {time} NOT NULL,
    PRIMARY KEY (guild_id, channel_id)
);
