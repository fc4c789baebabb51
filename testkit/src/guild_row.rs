//! The row of a guild, for tests below the commands and HTTP.

use entities::{GuildId, Timestamp, guild};

/// A guild with the defaults of a new one.
pub fn guild_row(guild_id: GuildId, created_at: Timestamp) -> guild::Model {
    guild::Model {
        guild_id,
        name: "Guild".to_owned(),
        shield_writer: false,
        mirror_bans: true,
        nickname_template: "{play_username}".to_owned(),
        time_zone: "UTC".to_owned(),
        week_start: 1,
        strike_days: 90,
        score_weights: serde_json::json!({}),
        created_at,
    }
}
