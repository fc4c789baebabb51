//! The rows of the large guild, written by SQL.

use testkit::{Deployment, Mode};

const LINKS: &str = "
INSERT INTO link (guild_id, chat_id, play_id, play_username, verified_at)
WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {rows})
SELECT {guild}, 2000000000000000000 + n, 5000000000 + n, 'Brickmason' || n, (SELECT created_at FROM guild LIMIT 1)
FROM number";

/// Reasons of 1,000 characters that hardly repeat.
const BANS: &str = "
INSERT INTO sanction (guild_id, kind, play_id, reason, moderator_id, created_at, mirror_state, revision)
WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {rows})
SELECT {guild}, 'ban', 6000000000 + n, {reason}, 1, (SELECT created_at FROM guild LIMIT 1), 'none', 1
FROM number";

const REVISION: &str = "INSERT INTO moderation_revision (guild_id, revision) VALUES ({guild}, 1)";

pub(super) async fn write(deployment: &Deployment, rows: u32) {
    let reason = match deployment.mode() {
        Mode::Embedded => "hex(randomblob(500))",
        Mode::Distributed => {
            "(SELECT string_agg(md5(k::text || n), '') || '12345678' FROM generate_series(1, 31) k)"
        }
    };
    for statement in [REVISION, LINKS, BANS] {
        let statement = statement.replace("{guild}", &deployment.guild().id).replace("{reason}", reason);
        deployment.execute(&statement.replace("{rows}", &rows.to_string())).await;
    }
}
