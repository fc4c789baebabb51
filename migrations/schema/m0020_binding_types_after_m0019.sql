-- Bindings of other types than a rank, with a priority and a nickname template of their own, and the roles that syncs
-- spare. A program that knows only ranks goes on as long as no guild has a binding of another type: it cannot read that
-- guild's bindings, so its syncs of the guild fail and change nothing.

-- {postgres only}
ALTER TABLE binding
    DROP CONSTRAINT binding_kind_check,
    ALTER COLUMN group_id DROP NOT NULL,
    ALTER COLUMN rank DROP NOT NULL,
    ADD COLUMN min_rank integer CHECK (min_rank BETWEEN 1 AND 255),
    ADD COLUMN max_rank integer CHECK (max_rank BETWEEN 1 AND 255),
    ADD COLUMN group_role_id bigint CHECK (group_role_id > 0),
    ADD COLUMN priority integer NOT NULL DEFAULT 0 CHECK (priority BETWEEN 0 AND 1000),
    ADD COLUMN nickname_template text CHECK (length(nickname_template) <= 200),
    ADD CHECK (kind IN ('group_rank', 'group_rank_range', 'group_member', 'group_role', 'verified', 'unverified')),
    ADD CHECK ((group_id IS NULL) = (kind IN ('verified', 'unverified'))),
    ADD CHECK ((rank IS NULL) = (kind <> 'group_rank')),
    ADD CHECK ((min_rank IS NULL) = (kind <> 'group_rank_range')),
    ADD CHECK ((max_rank IS NULL) = (kind <> 'group_rank_range')),
    ADD CHECK (min_rank <= max_rank),
    ADD CHECK ((group_role_id IS NULL) = (kind <> 'group_role'));

-- {sqlite only}
CREATE TABLE binding_next (
    binding_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    kind text NOT NULL
        CHECK (kind IN ('group_rank', 'group_rank_range', 'group_member', 'group_role', 'verified', 'unverified')),
    group_id bigint CHECK (group_id > 0),
    rank integer CHECK (rank BETWEEN 0 AND 255),
    role_id bigint NOT NULL CHECK (role_id > 0),
    created_at {time} NOT NULL,
    min_rank integer CHECK (min_rank BETWEEN 1 AND 255),
    max_rank integer CHECK (max_rank BETWEEN 1 AND 255),
    group_role_id bigint CHECK (group_role_id > 0),
    priority integer NOT NULL DEFAULT 0 CHECK (priority BETWEEN 0 AND 1000),
    nickname_template text CHECK (length(nickname_template) <= 200),
    CHECK ((group_id IS NULL) = (kind IN ('verified', 'unverified'))),
    CHECK ((rank IS NULL) = (kind <> 'group_rank')),
    CHECK ((min_rank IS NULL) = (kind <> 'group_rank_range')),
    CHECK ((max_rank IS NULL) = (kind <> 'group_rank_range')),
    CHECK (min_rank <= max_rank),
    CHECK ((group_role_id IS NULL) = (kind <> 'group_role'))
);

-- {sqlite only}
INSERT INTO binding_next (binding_id, guild_id, kind, group_id, rank, role_id, created_at)
    SELECT binding_id, guild_id, kind, group_id, rank, role_id, created_at FROM binding;

-- The ids of deleted bindings are not given again.
-- {sqlite only}
DELETE FROM sqlite_sequence WHERE name = 'binding_next';

-- {sqlite only}
INSERT INTO sqlite_sequence (name, seq) SELECT 'binding_next', seq FROM sqlite_sequence WHERE name = 'binding';

-- {sqlite only}
DROP TABLE binding;

-- {sqlite only}
ALTER TABLE binding_next RENAME TO binding;

-- {sqlite only}
CREATE UNIQUE INDEX binding_once ON binding (guild_id, kind, group_id, rank, role_id);

-- The same for the other types, some of whose columns are null.
CREATE UNIQUE INDEX binding_once_by_type ON binding (guild_id, kind, role_id, coalesce(group_id, 0), coalesce(min_rank, 0),
    coalesce(max_rank, 0), coalesce(group_role_id, 0)) WHERE kind <> 'group_rank';

-- Holders of these keep their nicknames, and their roles; and roles that no sync takes.
ALTER TABLE guild ADD COLUMN nickname_bypass_roles {json} NOT NULL DEFAULT '[]';

ALTER TABLE guild ADD COLUMN role_bypass_roles {json} NOT NULL DEFAULT '[]';

ALTER TABLE guild ADD COLUMN sticky_roles {json} NOT NULL DEFAULT '[]';
