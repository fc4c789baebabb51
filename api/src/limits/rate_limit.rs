//! Rate limits (docs/rules.md 3), each number once. A limit counts the calls of one key, under the name in the header
//! `X-RateLimit-Bucket`.

use std::time::Duration;

use console::RateLimitFigures;
use runtime::{Decision, Rate};

/// A limit and its current state for the caller.
pub(crate) type Window = (RateLimit, Decision);

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

macro_rules! rate_limits {
    ($($(#[$about:meta])* $limit:ident $name:literal $count:literal $window:ident;)*) => {
        /// A row of the table in docs/rules.md 3: a hot path, or the reads or writes of a group of endpoints.
        /// GET calls are reads, all others writes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum RateLimit {
            $($(#[$about])* $limit),*
        }

        /// Name and rate, in the order of the variants, which index it.
        const LIMITS: &[(&str, Rate)] = &[$(($name, Rate::per($count, $window))),*];
    };
}

rate_limits! {
    BanStatus "ban_status" 300 MINUTE;
    MuteStatus "mute_status" 300 MINUTE;
    StaffHeartbeat "staff_heartbeat" 300 MINUTE;
    ServerTick "server_tick" 300 MINUTE;
    /// First ticks of servers: so many start at once, while the others use their limit.
    ServerTickFirst "server_tick_first" 300 MINUTE;
    PlayersCheck "players_check" 300 MINUTE;
    ServerHeartbeat "server_heartbeat" 300 MINUTE;
    ServerCommands "server_commands" 300 MINUTE;
    StaffVerify "staff_verify" 200 MINUTE;
    GameRegister "game_register" 200 MINUTE;
    StaffAction "staff_action" 200 MINUTE;
    StaffPlayPermissions "staff_play_permissions" 200 MINUTE;
    SessionStart "session_start" 100 MINUTE;
    SessionEnd "session_end" 100 MINUTE;
    CommandAck "command_ack" 100 MINUTE;
    ActiveListsRead "active_lists_read" 100 MINUTE;
    ShieldCheck "shield_check" 300 MINUTE;
    ShieldBatch "shield_batch" 300 MINUTE;
    ShieldImport "shield_import" 50 MINUTE;
    /// The last hot path, see [`LAST_HOT_PATH`].
    LiveConnect "live_connect" 10 MINUTE;
    BindingsRead "bindings_read" 100 MINUTE;
    BindingsWrite "bindings_write" 30 MINUTE;
    GuildConfigRead "guild_config_read" 100 MINUTE;
    GuildConfigWrite "guild_config_write" 20 MINUTE;
    AuditLogsRead "audit_logs_read" 100 MINUTE;
    AuditLogsWrite "audit_logs_write" 20 MINUTE;
    ModerationRead "moderation_read" 100 MINUTE;
    ModerationWrite "moderation_write" 50 MINUTE;
    StaffRead "staff_read" 100 MINUTE;
    StaffWrite "staff_write" 30 MINUTE;
    LookupRead "lookup_read" 60 MINUTE;
    LookupWrite "lookup_write" 60 MINUTE;
    LinkConfirm "link_confirm" 100 MINUTE;
    LinksRead "links_read" 100 MINUTE;
    LinksWrite "links_write" 50 MINUTE;
    SyncWrite "sync_write" 30 MINUTE;
    /// This one and the next are counted in the database, see `entities::bulk_sync`.
    SyncAll "sync_all" 1 HOUR;
    SyncAllDryRun "sync_all_dry_run" 6 HOUR;
    /// Pages of a person at the console: open pages reload themselves.
    ConsolePages "console_pages" 600 MINUTE;
}

/// A key may have a factor for the rows up to this one (docs/rules.md 3), and for none below: new hot paths go above it.
const LAST_HOT_PATH: RateLimit = RateLimit::LiveConnect;

impl RateLimit {
    /// All rows, for operators.
    pub(crate) fn figures() -> impl Iterator<Item = RateLimitFigures> {
        LIMITS.iter().enumerate().map(|(at, (name, rate))| RateLimitFigures {
            name,
            calls: rate.limit,
            window: rate.window,
            hot_path: at <= LAST_HOT_PATH as usize,
        })
    }

    /// Value of the header `X-RateLimit-Bucket`.
    pub(crate) fn name(self) -> &'static str {
        LIMITS[self as usize].0
    }

    /// Whether it is a hot path, for which a key may have a factor (docs/rules.md 3).
    pub(crate) fn is_hot_path(self) -> bool {
        self as usize <= LAST_HOT_PATH as usize
    }

    pub(crate) fn rate(self) -> Rate {
        LIMITS[self as usize].1
    }

    /// One of 64, its own.
    pub(crate) fn bit(self) -> u64 {
        1 << self as usize
    }
}

const _: () = assert!(LIMITS.len() <= 64, "each limit has a bit");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ() {
        let names: std::collections::BTreeSet<_> = LIMITS.iter().map(|row| row.0).collect();
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
