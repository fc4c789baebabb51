-- What the last look at all members found a sync would change of a member, and since when.
ALTER TABLE synced_member ADD COLUMN due {json};
ALTER TABLE synced_member ADD COLUMN due_since {time};
CREATE INDEX synced_member_due ON synced_member (guild_id, chat_id) WHERE due_since IS NOT NULL;

-- When all members of a guild were last looked at.
ALTER TABLE follow ADD COLUMN looked_at {time};

-- Bans and mutes are numbered for people, each kind of a guild by itself; one that replaces another keeps its number.
ALTER TABLE moderation_revision ADD COLUMN bans bigint NOT NULL DEFAULT 0;
ALTER TABLE moderation_revision ADD COLUMN mutes bigint NOT NULL DEFAULT 0;
ALTER TABLE sanction ADD COLUMN number bigint NOT NULL DEFAULT 0;
CREATE INDEX sanction_by_number ON sanction (guild_id, number);

-- Why a moderator lifted it.
ALTER TABLE sanction ADD COLUMN lift_reason text;

-- Bans that did not reach the chat platform wait for somebody.
CREATE INDEX sanction_mirror_failed ON sanction (guild_id, sanction_id) WHERE mirror_state = 'failed';
