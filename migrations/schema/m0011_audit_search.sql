-- The audit log is searched by who acted, by what was changed, and by time; each page is newest first.

CREATE INDEX audit_entry_by_actor ON audit_entry (guild_id, actor_id, audit_id);

CREATE INDEX audit_entry_by_target ON audit_entry (guild_id, target_id, audit_id);

CREATE INDEX audit_entry_by_time ON audit_entry (guild_id, created_at);

-- The newest commands of all servers.
CREATE INDEX server_command_newest ON server_command (guild_id, command_id);
