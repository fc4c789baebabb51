//! Rate limits (docs/rules.md 3), each number once. A limit counts the calls of one key, under the name in the header
//! `X-RateLimit-Bucket`.

use std::time::Duration;

use runtime::{Decision, Quota};

/// A limit and its current state for the caller.
pub(crate) type Window = (RateLimit, Decision);

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

/// A row of the table in docs/rules.md 3: a hot path, or the reads or writes of a group of endpoints.
/// GET calls are reads, all others writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RateLimit {
    BanStatus,
    MuteStatus,
    StaffHeartbeat,
    ServerHeartbeat,
    ServerCommands,
    StaffVerify,
    GameRegister,
    StaffAction,
    StaffPlayPermissions,
    SessionStart,
    SessionEnd,
    CommandAck,
    LiveConnect,
    BindingsRead,
    BindingsWrite,
    GuildConfigRead,
    GuildConfigWrite,
    AuditLogsRead,
    AuditLogsWrite,
    ModerationRead,
    ModerationWrite,
    StaffRead,
    StaffWrite,
    LookupRead,
    LookupWrite,
    SyncWrite,
    SyncAll,
    SyncAllDryRun,
    ShieldCheck,
    ShieldBatch,
    ShieldImport,
}

/// In the order of the variants, which index it.
const LIMITS: [(RateLimit, &str, Quota); 31] = [
    (RateLimit::BanStatus, "ban_status", Quota::per(300, MINUTE)),
    (RateLimit::MuteStatus, "mute_status", Quota::per(300, MINUTE)),
    (RateLimit::StaffHeartbeat, "staff_heartbeat", Quota::per(300, MINUTE)),
    (RateLimit::ServerHeartbeat, "server_heartbeat", Quota::per(300, MINUTE)),
    (RateLimit::ServerCommands, "server_commands", Quota::per(300, MINUTE)),
    (RateLimit::StaffVerify, "staff_verify", Quota::per(200, MINUTE)),
    (RateLimit::GameRegister, "game_register", Quota::per(200, MINUTE)),
    (RateLimit::StaffAction, "staff_action", Quota::per(200, MINUTE)),
    (RateLimit::StaffPlayPermissions, "staff_play_permissions", Quota::per(200, MINUTE)),
    (RateLimit::SessionStart, "session_start", Quota::per(100, MINUTE)),
    (RateLimit::SessionEnd, "session_end", Quota::per(100, MINUTE)),
    (RateLimit::CommandAck, "command_ack", Quota::per(100, MINUTE)),
    (RateLimit::LiveConnect, "live_connect", Quota::per(10, MINUTE)),
    (RateLimit::BindingsRead, "bindings_read", Quota::per(100, MINUTE)),
    (RateLimit::BindingsWrite, "bindings_write", Quota::per(30, MINUTE)),
    (RateLimit::GuildConfigRead, "guild_config_read", Quota::per(100, MINUTE)),
    (RateLimit::GuildConfigWrite, "guild_config_write", Quota::per(20, MINUTE)),
    (RateLimit::AuditLogsRead, "audit_logs_read", Quota::per(100, MINUTE)),
    (RateLimit::AuditLogsWrite, "audit_logs_write", Quota::per(20, MINUTE)),
    (RateLimit::ModerationRead, "moderation_read", Quota::per(100, MINUTE)),
    (RateLimit::ModerationWrite, "moderation_write", Quota::per(50, MINUTE)),
    (RateLimit::StaffRead, "staff_read", Quota::per(100, MINUTE)),
    (RateLimit::StaffWrite, "staff_write", Quota::per(30, MINUTE)),
    (RateLimit::LookupRead, "lookup_read", Quota::per(60, MINUTE)),
    (RateLimit::LookupWrite, "lookup_write", Quota::per(60, MINUTE)),
    (RateLimit::SyncWrite, "sync_write", Quota::per(30, MINUTE)),
    // These two are counted in the database, see `entities::bulk_sync`.
    (RateLimit::SyncAll, "sync_all", Quota::per(1, HOUR)),
    (RateLimit::SyncAllDryRun, "sync_all_dry_run", Quota::per(6, HOUR)),
    (RateLimit::ShieldCheck, "shield_check", Quota::per(300, MINUTE)),
    (RateLimit::ShieldBatch, "shield_batch", Quota::per(300, MINUTE)),
    (RateLimit::ShieldImport, "shield_import", Quota::per(50, MINUTE)),
];

impl RateLimit {
    /// Value of the header `X-RateLimit-Bucket`.
    pub(crate) fn name(self) -> &'static str {
        LIMITS[self as usize].1
    }

    /// Whether it is a hot path, for which a key may have a factor (docs/rules.md 3).
    pub(crate) fn is_hot_path(self) -> bool {
        self as usize <= Self::LiveConnect as usize
    }

    pub(crate) fn quota(self) -> Quota {
        LIMITS[self as usize].2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_variants_and_names_differ() {
        let mut names: Vec<_> = LIMITS.iter().map(|row| row.1).collect();
        assert!(LIMITS.iter().enumerate().all(|(index, row)| row.0 as usize == index));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), LIMITS.len());
    }

    #[test]
    fn bulk_syncs_are_counted_as_the_table_says() {
        use entities::bulk_sync::{Kind, WINDOW};
        let counted = [(RateLimit::SyncAll, Kind::Run), (RateLimit::SyncAllDryRun, Kind::DryRun)];
        for (bucket, kind) in counted {
            assert_eq!(bucket.quota(), Quota::per(kind.limit(), WINDOW.to_std().unwrap()));
        }
    }
}
