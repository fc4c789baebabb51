//! Two years of a large guild's staff actions, written by SQL: a million rows through the product's own path
//! would take an hour.

use entities::GuildId;
use sea_orm::{ConnectionTrait, DatabaseConnection};

use super::arguments::Arguments;

const FIRST_STAFF: i64 = 1_000_000_000_000_000_000;
const TYPES: u32 = 7;

const ROLE: &str = "
INSERT INTO staff_role (guild_id, role_id, role_name, permissions, play_permissions, created_at)
VALUES ({guild}, 1, 'Moderator', '[]', '[]', now())";

const MEMBERS: &str = "
INSERT INTO staff_member (guild_id, chat_id, role_id, joined_at)
SELECT {guild}, {first} + s, 1, now() - interval '2 years' FROM generate_series(1, {staff}) s";

/// Spread evenly over two years and all staff, in chronological order; one of every hundred
/// waits for approval.
const ACTIONS: &str = "
INSERT INTO staff_action
    (guild_id, staff_id, action_type, nth, counted_at, target_id, details, session_id,
     created_at)
SELECT {guild}, {first} + s, (ARRAY['ban', 'unban', 'mute', 'unmute', 'warn', 'kick', 'custom'])[k],
    CASE WHEN n % 100 <> 0 THEN n - n / 100 END, CASE WHEN n % 100 <> 0 THEN done_at END,
    (20000000 + n)::text, '{}', NULL, done_at
FROM (SELECT n, now() - interval '2 years' * (1 - n::double precision / {each}) AS done_at
      FROM generate_series(1, {each}) n) numbered,
    generate_series(1, {staff}) s, generate_series(1, {types}) k
ORDER BY n, s, k
LIMIT {actions}";

/// Half an hour each.
const SESSIONS: &str = "
INSERT INTO staff_session (session_id, guild_id, staff_id, play_id, place_id, server_id, started_second,
    heartbeat_second, ended_second)
SELECT gen_random_uuid(), {guild}, {first} + s, 10000 + s, 1, 'server', start, start + 1800, start + 1800
FROM (SELECT s, extract(epoch FROM now())::bigint - 3600 - 63072000 / {per_staff} * (n - 1) AS start
    FROM generate_series(1, {per_staff}) n, generate_series(1, {staff}) s) AS made";

pub(super) async fn fill(
    conn: &DatabaseConnection,
    guild: GuildId,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let staff = arguments.staff.max(1);
    let words = [
        ("{guild}", guild.to_string()),
        ("{first}", FIRST_STAFF.to_string()),
        ("{staff}", staff.to_string()),
        ("{types}", TYPES.to_string()),
        ("{actions}", arguments.actions.to_string()),
        ("{each}", arguments.actions.div_ceil(staff * TYPES).to_string()),
        ("{per_staff}", (arguments.sessions / staff).max(1).to_string()),
    ];
    for template in [ROLE, MEMBERS, ACTIONS, SESSIONS] {
        let sql = words.iter().fold(template.to_owned(), |sql, (word, value)| sql.replace(word, value));
        conn.execute_unprepared(&sql).await?;
    }
    conn.execute_unprepared("VACUUM ANALYZE").await?;
    Ok(())
}
