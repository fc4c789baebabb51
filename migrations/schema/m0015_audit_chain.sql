-- The audit log only grows. Its entries are chained by hash (entities/src/audit_chain.rs), and a row changes or goes only
-- by retention, by erasure, or with its guild. Entries of older versions have no place in a chain.

ALTER TABLE audit_entry ADD COLUMN position bigint;

-- Null: the entry is about a person who was erased, and its content can no longer be compared with `digest`.
ALTER TABLE audit_entry ADD COLUMN salt {bytes};

ALTER TABLE audit_entry ADD COLUMN digest {bytes};

ALTER TABLE audit_entry ADD COLUMN hash {bytes};

-- Both ends of a chain: entries before `first_position` were deleted by retention.
CREATE TABLE audit_chain (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    chain text NOT NULL CHECK (chain IN ('log', 'member_syncs')),
    first_position bigint NOT NULL,
    hash_before_first {bytes} NOT NULL,
    last_position bigint NOT NULL,
    last_hash {bytes} NOT NULL,
    PRIMARY KEY (guild_id, chain)
);

-- {postgres only}
CREATE FUNCTION audit_entry_erased() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.salt IS NULL AND (NEW.audit_id, NEW.guild_id, NEW.action, NEW.source, NEW.key_id, NEW.request_id, NEW.created_at,
        NEW.position, NEW.digest, NEW.hash) IS NOT DISTINCT FROM (OLD.audit_id, OLD.guild_id, OLD.action, OLD.source,
        OLD.key_id, OLD.request_id, OLD.created_at, OLD.position, OLD.digest, OLD.hash) THEN RETURN NEW; END IF; --
    RAISE EXCEPTION 'entries of the audit log do not change'; END $$;

-- {postgres only}
CREATE TRIGGER audit_entry_erased BEFORE UPDATE ON audit_entry
    FOR EACH ROW EXECUTE FUNCTION audit_entry_erased();

-- {postgres only}
CREATE FUNCTION audit_entry_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF OLD.position IS NULL OR NOT EXISTS (SELECT 1 FROM guild WHERE guild_id = OLD.guild_id AND removing_since IS NULL)
        OR OLD.position < (SELECT first_position FROM audit_chain WHERE guild_id = OLD.guild_id
            AND chain = CASE OLD.action WHEN 'sync.member' THEN 'member_syncs' ELSE 'log' END)
        THEN RETURN OLD; END IF; --
    RAISE EXCEPTION 'entries of the audit log are deleted by retention only'; END $$;

-- {postgres only}
CREATE TRIGGER audit_entry_deleted BEFORE DELETE ON audit_entry
    FOR EACH ROW EXECUTE FUNCTION audit_entry_deleted();

-- {postgres only}
CREATE FUNCTION audit_entry_truncated() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'entries of the audit log are deleted by retention only'; END $$;

-- {postgres only}
CREATE TRIGGER audit_entry_truncated BEFORE TRUNCATE ON audit_entry
    FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_truncated();

-- {sqlite only}
CREATE TRIGGER audit_entry_erased BEFORE UPDATE ON audit_entry
    WHEN NOT (NEW.salt IS NULL AND (NEW.audit_id, NEW.guild_id, NEW.action, NEW.source, NEW.key_id, NEW.request_id,
        NEW.created_at, NEW.position, NEW.digest, NEW.hash) IS (OLD.audit_id, OLD.guild_id, OLD.action, OLD.source,
        OLD.key_id, OLD.request_id, OLD.created_at, OLD.position, OLD.digest, OLD.hash))
    BEGIN SELECT RAISE(ABORT, 'entries of the audit log do not change'); END;

-- {sqlite only}
CREATE TRIGGER audit_entry_deleted BEFORE DELETE ON audit_entry
    WHEN NOT (OLD.position IS NULL OR NOT EXISTS (SELECT 1 FROM guild WHERE guild_id = OLD.guild_id AND removing_since IS NULL)
        OR OLD.position < (SELECT first_position FROM audit_chain WHERE guild_id = OLD.guild_id
            AND chain = CASE OLD.action WHEN 'sync.member' THEN 'member_syncs' ELSE 'log' END))
    BEGIN SELECT RAISE(ABORT, 'entries of the audit log are deleted by retention only'); END;
