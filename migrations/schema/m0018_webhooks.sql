-- Addresses to which a guild's audit log is sent as it grows. `position` and `entry_id` are those of the last entry of the
-- log (not of its entries `sync.member`) that was passed on. `events` are words separated by spaces.
CREATE TABLE webhook (
    webhook_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    url text NOT NULL,
    events text NOT NULL,
    state text NOT NULL CHECK (state IN ('on', 'off', 'gone')),
    secret text NOT NULL,
    -- Signs too until its end.
    old_secret text,
    old_secret_until {time},
    position bigint NOT NULL,
    entry_id bigint NOT NULL,
    -- In a row, of the receiver as a whole; it is left alone until the pause is over.
    failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
    paused_until {time},
    created_at {time} NOT NULL,
    CHECK ((old_secret IS NULL) = (old_secret_until IS NULL))
);

CREATE INDEX webhook_by_guild ON webhook (guild_id, webhook_id);
