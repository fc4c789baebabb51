//! The limits of section 8 of the interface, each number once. A bucket counts the calls of one key.

use std::time::Duration;

use runtime::Quota;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

/// A row of the interface's hot-path and Shield tables, or the reads or writes of one of its standard groups.
/// What is read with GET is a read, everything else a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bucket {
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
const LIMITS: [(Bucket, &str, Quota); 31] = [
    (Bucket::BanStatus, "ban_status", Quota::per(300, MINUTE)),
    (Bucket::MuteStatus, "mute_status", Quota::per(300, MINUTE)),
    (Bucket::StaffHeartbeat, "staff_heartbeat", Quota::per(300, MINUTE)),
    (Bucket::ServerHeartbeat, "server_heartbeat", Quota::per(300, MINUTE)),
    (Bucket::ServerCommands, "server_commands", Quota::per(300, MINUTE)),
    (Bucket::StaffVerify, "staff_verify", Quota::per(200, MINUTE)),
    (Bucket::GameRegister, "game_register", Quota::per(200, MINUTE)),
    (Bucket::StaffAction, "staff_action", Quota::per(200, MINUTE)),
    (Bucket::StaffPlayPermissions, "staff_play_permissions", Quota::per(200, MINUTE)),
    (Bucket::SessionStart, "session_start", Quota::per(100, MINUTE)),
    (Bucket::SessionEnd, "session_end", Quota::per(100, MINUTE)),
    (Bucket::CommandAck, "command_ack", Quota::per(100, MINUTE)),
    (Bucket::LiveConnect, "live_connect", Quota::per(10, MINUTE)),
    (Bucket::BindingsRead, "bindings_read", Quota::per(100, MINUTE)),
    (Bucket::BindingsWrite, "bindings_write", Quota::per(30, MINUTE)),
    (Bucket::GuildConfigRead, "guild_config_read", Quota::per(100, MINUTE)),
    (Bucket::GuildConfigWrite, "guild_config_write", Quota::per(20, MINUTE)),
    (Bucket::AuditLogsRead, "audit_logs_read", Quota::per(100, MINUTE)),
    (Bucket::AuditLogsWrite, "audit_logs_write", Quota::per(20, MINUTE)),
    (Bucket::ModerationRead, "moderation_read", Quota::per(100, MINUTE)),
    (Bucket::ModerationWrite, "moderation_write", Quota::per(50, MINUTE)),
    (Bucket::StaffRead, "staff_read", Quota::per(100, MINUTE)),
    (Bucket::StaffWrite, "staff_write", Quota::per(30, MINUTE)),
    (Bucket::LookupRead, "lookup_read", Quota::per(60, MINUTE)),
    (Bucket::LookupWrite, "lookup_write", Quota::per(60, MINUTE)),
    (Bucket::SyncWrite, "sync_write", Quota::per(30, MINUTE)),
    // These two are counted in the database, see `entities::bulk_sync`.
    (Bucket::SyncAll, "sync_all", Quota::per(1, HOUR)),
    (Bucket::SyncAllDryRun, "sync_all_dry_run", Quota::per(6, HOUR)),
    (Bucket::ShieldCheck, "shield_check", Quota::per(300, MINUTE)),
    (Bucket::ShieldBatch, "shield_batch", Quota::per(300, MINUTE)),
    (Bucket::ShieldImport, "shield_import", Quota::per(50, MINUTE)),
];

impl Bucket {
    /// As in the header `X-RateLimit-Bucket`.
    pub(crate) fn name(self) -> &'static str {
        LIMITS[self as usize].1
    }

    /// Of the hot paths, for which a key may have a factor (docs/rules.md 3).
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
        let counted = [(Bucket::SyncAll, Kind::Run), (Bucket::SyncAllDryRun, Kind::DryRun)];
        for (bucket, kind) in counted {
            assert_eq!(bucket.quota(), Quota::per(kind.limit(), WINDOW.to_std().unwrap()));
        }
    }
}
