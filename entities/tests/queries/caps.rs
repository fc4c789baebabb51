//! The counts of the table of caps.

use entities::cap::Cap;
use sea_orm::{ConnectionTrait, DatabaseBackend};

use crate::fixture::{Fixture, both_databases, guild, other_guild};

const T: &str = "'2026-01-01T00:00:00+00:00'";

type Rows = (u64, [String; 2]);

/// Two rows of each type, and how many of them count.
#[expect(clippy::too_many_lines, reason = "a table")]
fn rows(uuid: &str) -> Vec<(Cap, &'static str, &'static str, Rows)> {
    let both = |row: &str| (2, [row.replace('#', "1"), row.replace('#', "2")]);
    let part =
        |row: &str, counted: &str, other: &str| (1, [row.replace('#', counted), row.replace('#', other)]);
    let secret = if uuid.starts_with("random") { "zeroblob(32)" } else { "decode(repeat('00', 32), 'hex')" };
    let session = format!("{uuid}, 1, 1, 1, 's', 1, 2, #");
    let command = format!("{uuid}, '1', 'kick', '5', '', 1, {T}, #");
    let job = format!("{uuid}, 'sync_member', 'interactive', '{{}}', 1, {T}, {T}, #");
    let attempt = format!("{uuid}, 1, 'n', {secret}, 'w', {T}, {T}, #");
    vec![
        (
            Cap::Links,
            "link",
            "chat_id, play_id, play_username, verified_at",
            both(&format!("#, #, 'n', {T}")),
        ),
        (
            Cap::LinkAttempts,
            "link_attempt",
            "attempt_id, chat_id, chat_name, code_hash, words, created_at, expires_at, state, outcome",
            part(&attempt, "'open', NULL", "'ended', 'cancelled'"),
        ),
        (
            Cap::Bindings,
            "binding",
            "kind, group_id, rank, role_id, created_at",
            both(&format!("'group_rank', #, 1, 1, {T}")),
        ),
        (
            Cap::StaffRoles,
            "staff_role",
            "role_id, role_name, permissions, play_permissions, created_at",
            both(&format!("#, 'r', '[]', '[]', {T}")),
        ),
        (Cap::StaffMembers, "staff_member", "chat_id, role_id, joined_at", both(&format!("#, 1, {T}"))),
        (
            Cap::Leaves,
            "loa",
            "staff_id, starts_at, ends_at, reason, status, created_at",
            both(&format!("#, {T}, '2027-01-01T00:00:00+00:00', 'r', 'active', {T}")),
        ),
        (
            Cap::LeaveRequests,
            "leave_request",
            "staff_id, starts_at, ends_at, reason, state, created_at",
            both(&format!("#, {T}, '2027-01-01T00:00:00+00:00', 'r', 'requested', {T}")),
        ),
        (
            Cap::Strikes,
            "strike",
            "staff_id, reason, severity, issued_by, created_at, expires_at",
            both(&format!("#, 'r', 1, 1, {T}, {T}")),
        ),
        (
            Cap::Notes,
            "staff_note",
            "staff_id, author_id, body, created_at, updated_at",
            both(&format!("#, 1, 'b', {T}, {T}")),
        ),
        (
            Cap::Quotas,
            "quota",
            "name, metric, target, period, requires_approval, created_at",
            both(&format!("'#', 'ban', 1, 'week', false, {T}")),
        ),
        (Cap::Panels, "application_panel", "panel_id, name, created_at", both(&format!("#, 'p', {T}"))),
        (
            Cap::Submissions,
            "application_submission",
            "submission_id, panel_id, chat_id, answers, created_at",
            both(&format!("#, 1, 5, '{{}}', {T}")),
        ),
        (
            Cap::Games,
            "registered_game",
            "universe_id, place_id, name, registered_at",
            both(&format!("#, 1, 'g', {T}")),
        ),
        (
            Cap::GameServers,
            "game_server",
            "server_id, place_id, universe_id, player_count, first_seen_at, last_heartbeat_at",
            both(&format!("'#', 1, 1, 0, {T}, {T}")),
        ),
        (
            Cap::PendingCommands,
            "server_command",
            "command_id, server_id, kind, target_id, reason, issued_by, issued_at, state, ended_at",
            part(&command, "'queued', NULL", &format!("'expired', {T}")),
        ),
        (
            Cap::Sanctions,
            "sanction",
            "kind, chat_id, reason, moderator_id, created_at, mirror_state, revision, lifted_at, lifted_how",
            part(&format!("'ban', 1, 'r', 1, {T}, 'none', 1, #"), "NULL, NULL", &format!("{T}, 'lifted'")),
        ),
        (
            Cap::StaffSessions,
            "staff_session",
            "session_id, staff_id, play_id, place_id, server_id, started_second, heartbeat_second, ended_second",
            part(&session, "2", "NULL"),
        ),
        (
            Cap::StaffActions,
            "staff_action",
            "staff_id, action_type, target_id, details, created_at",
            both(&format!("#, 'ban', '5', '{{}}', {T}")),
        ),
        (
            Cap::CustomEntries,
            "audit_entry",
            "action, actor_id, target_id, metadata, created_at, source",
            part(&format!("'a.b', 1, '', '{{}}', {T}, #"), "'custom'", "'service'"),
        ),
        (
            Cap::Keys,
            "api_key",
            "public_id, secret_hash, name, owner_id, scopes, created_at",
            both(&format!("'keyid00#', {secret}, 'k', 1, 'read', {T}")),
        ),
        (
            Cap::LogChannels,
            "log_channel",
            "channel_id, news, state, position, entry_id, post_at, created_at",
            both(&format!("#, 'links', 'on', 0, 0, {T}, {T}")),
        ),
        (
            Cap::Jobs,
            "job",
            "job_id, kind, class, args, max_attempts, run_at, created_at, state, finished_at",
            part(&job, "'held', NULL", &format!("'failed', {T}")),
        ),
    ]
}

both_databases! {
    async fn every_cap_counts_the_rows_of_its_guild(fixture: &Fixture) {
        let counted = async |cap: Cap, guild| cap.count(fixture.conn(), guild).await.unwrap();
        for cap in Cap::ALL {
            assert_eq!(counted(*cap, guild()).await, 0, "{cap:?}");
        }
        let sqlite = fixture.conn().get_database_backend() == DatabaseBackend::Sqlite;
        let uuid = if sqlite { "randomblob(16)" } else { "gen_random_uuid()" };
        for (cap, table, columns, (count, rows)) in rows(uuid) {
            for row in rows {
                fixture.execute(&format!("INSERT INTO {table} (guild_id, {columns}) VALUES ({}, {row})", guild())).await;
            }
            assert_eq!(counted(cap, guild()).await, count, "{cap:?}");
            assert_eq!(counted(cap, other_guild()).await, 0, "{cap:?}");
        }
        let flag = format!("INSERT INTO shield_flag (play_id, play_username, reason, source, flagged_by, flagged_by_guild, flagged_at) VALUES (1, 'n', 'r', 'manual', 1, {}, {T})", guild());
        fixture.execute(&flag).await;
        assert_eq!((counted(Cap::ShieldFlags, guild()).await, counted(Cap::ShieldFlags, other_guild()).await), (1, 0));
    }
}
