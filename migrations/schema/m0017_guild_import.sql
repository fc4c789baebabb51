-- Imports of guilds that are not finished. Meanwhile the guild is hidden like one that is being removed.
CREATE TABLE guild_import (
    guild_id bigint PRIMARY KEY REFERENCES guild (guild_id) ON DELETE CASCADE,
    -- SHA-256 of the file: only the same one can continue.
    file_hash {bytes} NOT NULL
);
