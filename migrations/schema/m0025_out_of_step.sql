-- What the last look at all members found a sync would change of a member, and since when.
ALTER TABLE synced_member ADD COLUMN due {json};
ALTER TABLE synced_member ADD COLUMN due_since {time};
CREATE INDEX synced_member_due ON synced_member (guild_id, chat_id) WHERE due_since IS NOT NULL;

-- When all members of a guild were last looked at.
ALTER TABLE follow ADD COLUMN looked_at {time};
