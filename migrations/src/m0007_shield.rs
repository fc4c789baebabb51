//! Shield: game users flagged for all guilds, and who flagged them (docs/rules.md 9).

crate::dialect::change!("m0007_shield", &[FLAG, FLAG_ACTIVE]);

/// `flagged_by` is the owner of the key that wrote it, `flagged_by_guild` that key's guild. A lifted flag is kept.
const FLAG: &str = "
CREATE TABLE shield_flag (
    flag_id {serial},
    play_id bigint NOT NULL CHECK (play_id > 0),
    play_username text NOT NULL,
    reason text NOT NULL,
    source text NOT NULL,
    flagged_by bigint NOT NULL,
    flagged_by_guild bigint REFERENCES guild (guild_id) ON DELETE SET NULL,
    flagged_at {time} NOT NULL,
    lifted_at {time},
    lifted_by bigint,
    lifted_reason text
)";

const FLAG_ACTIVE: &str =
    "CREATE UNIQUE INDEX shield_flag_active ON shield_flag (play_id) WHERE lifted_at IS NULL";
