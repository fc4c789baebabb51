-- What imports of links and bans have made, for as long as they can be undone. `made`: of links pairs of chat and game
-- account, of bans their ids.
CREATE TABLE import (
    import_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('links', 'bans')),
    made {json} NOT NULL,
    -- Who made it; 0: a key.
    made_by bigint NOT NULL,
    created_at {time} NOT NULL,
    undone_at {time}
);

CREATE INDEX import_of_guild ON import (guild_id, import_id);
CREATE INDEX import_by_age ON import (created_at);
