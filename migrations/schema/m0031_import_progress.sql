-- How far an unfinished import is: how many rows of its file are there, and where the ids of each table went.
ALTER TABLE guild_import ADD COLUMN rows_written bigint NOT NULL DEFAULT 0;
ALTER TABLE guild_import ADD COLUMN placed {json} NOT NULL DEFAULT '{}';

-- Guilds that are being imported or removed: what goes through the rows of all guilds leaves theirs out.
CREATE INDEX guild_hidden ON guild (guild_id) WHERE removing_since IS NOT NULL;
