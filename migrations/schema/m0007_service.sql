-- The audit log, and the responses stored for `Idempotency-Key`.

-- `key_id` has no foreign key: an entry outlives its key.
CREATE TABLE audit_entry (
    audit_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    action text NOT NULL,
    source text NOT NULL CHECK (source IN ('service', 'custom')),
    actor_id bigint NOT NULL,
    target_id text NOT NULL,
    metadata {json} NOT NULL,
    key_id bigint,
    request_id text,
    created_at {time} NOT NULL
);

CREATE INDEX audit_entry_by_guild ON audit_entry (guild_id, audit_id);

-- Counts the entries that a guild's clients wrote.
CREATE INDEX audit_entry_custom ON audit_entry (guild_id) WHERE source = 'custom';

CREATE INDEX audit_entry_by_action ON audit_entry (guild_id, action, audit_id);

-- Old entries of all guilds, for retention; entries about members of a bulk sync are kept for a shorter time.
CREATE INDEX audit_entry_old ON audit_entry (created_at);

CREATE INDEX audit_entry_of_syncs ON audit_entry (created_at) WHERE action = 'sync.member';

-- `status` is null while the first request is running, at the latest until `locked_until`.
CREATE TABLE idempotency (
    key_id bigint NOT NULL REFERENCES api_key (key_id) ON DELETE CASCADE,
    idempotency_key text NOT NULL,
    request_hash {bytes} NOT NULL,
    job_id {uuid},
    status integer,
    body text,
    location text,
    locked_until {time} NOT NULL,
    expires_at {time} NOT NULL,
    PRIMARY KEY (key_id, idempotency_key)
);

CREATE INDEX idempotency_by_end ON idempotency (expires_at);
