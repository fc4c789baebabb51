//! Rate limits (docs/rules.md 3), each number once. A limit counts the calls of one key, under the name in the header
//! `X-RateLimit-Bucket`.

use std::time::Duration;

use runtime::{Decision, Rate};

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
const LIMITS: [(RateLimit, &str, Rate); 31] = [
    (RateLimit::BanStatus, "ban_status", Rate::per(300, MINUTE)),
    (RateLimit::MuteStatus, "mute_status", Rate::per(300, MINUTE)),
    (RateLimit::StaffHeartbeat, "staff_heartbeat", Rate::per(300, MINUTE)),
    (RateLimit::ServerHeartbeat, "server_heartbeat", Rate::per(300, MINUTE)),
    (RateLimit::ServerCommands, "server_commands", Rate::per(300, MINUTE)),
    (RateLimit::StaffVerify, "staff_verify", Rate::per(200, MINUTE)),
    (RateLimit::GameRegister, "game_register", Rate::per(200, MINUTE)),
    (RateLimit::StaffAction, "staff_action", Rate::per(200, MINUTE)),
    (RateLimit::StaffPlayPermissions, "staff_play_permissions", Rate::per(200, MINUTE)),
    (RateLimit::SessionStart, "session_start", Rate::per(100, MINUTE)),
    (RateLimit::SessionEnd, "session_end", Rate::per(100, MINUTE)),
    (RateLimit::CommandAck, "command_ack", Rate::per(100, MINUTE)),
    (RateLimit::LiveConnect, "live_connect", Rate::per(10, MINUTE)),
    (RateLimit::BindingsRead, "bindings_read", Rate::per(100, MINUTE)),
    (RateLimit::BindingsWrite, "bindings_write", Rate::per(30, MINUTE)),
    (RateLimit::GuildConfigRead, "guild_config_read", Rate::per(100, MINUTE)),
    (RateLimit::GuildConfigWrite, "guild_config_write", Rate::per(20, MINUTE)),
    (RateLimit::AuditLogsRead, "audit_logs_read", Rate::per(100, MINUTE)),
    (RateLimit::AuditLogsWrite, "audit_logs_write", Rate::per(20, MINUTE)),
    (RateLimit::ModerationRead, "moderation_read", Rate::per(100, MINUTE)),
    (RateLimit::ModerationWrite, "moderation_write", Rate::per(50, MINUTE)),
    (RateLimit::StaffRead, "staff_read", Rate::per(100, MINUTE)),
    (RateLimit::StaffWrite, "staff_write", Rate::per(30, MINUTE)),
    (RateLimit::LookupRead, "lookup_read", Rate::per(60, MINUTE)),
    (RateLimit::LookupWrite, "lookup_write", Rate::per(60, MINUTE)),
    (RateLimit::SyncWrite, "sync_write", Rate::per(30, MINUTE)),
    // These two are counted in the database, see `entities::bulk_sync`.
    (RateLimit::SyncAll, "sync_all", Rate::per(1, HOUR)),
    (RateLimit::SyncAllDryRun, "sync_all_dry_run", Rate::per(6, HOUR)),
    (RateLimit::ShieldCheck, "shield_check", Rate::per(300, MINUTE)),
    (RateLimit::ShieldBatch, "shield_batch", Rate::per(300, MINUTE)),
    (RateLimit::ShieldImport, "shield_import", Rate::per(50, MINUTE)),
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

    pub(crate) fn rate(self) -> Rate {
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
            assert_eq!(bucket.rate(), Rate::per(kind.limit(), WINDOW.to_std().unwrap()));
        }
    }
}
