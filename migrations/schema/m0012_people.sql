-- The console finds members by the first letters of their name or by when they were linked, sanctions by moderator and place, and former links.

-- Bytewise, so that a prefix is a range.
CREATE INDEX link_by_name ON link (guild_id, (lower(play_username {bytewise})), chat_id);

CREATE INDEX link_by_time ON link (guild_id, verified_at, chat_id);

CREATE INDEX sanction_by_moderator ON sanction (guild_id, kind, moderator_id, sanction_id);

CREATE INDEX sanction_by_place ON sanction (guild_id, kind, place_id, sanction_id) WHERE place_id IS NOT NULL;

-- Active sanctions, so that a search for them does not read the whole history. Of equal indexes SQLite uses the newest.
CREATE INDEX sanction_open ON sanction (guild_id, kind, sanction_id) WHERE lifted_at IS NULL;

CREATE INDEX audit_entry_of_links ON audit_entry (guild_id, audit_id)
WHERE action IN ('links.add', 'links.replace', 'links.remove', 'links.import', 'links.swap');
