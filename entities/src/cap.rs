//! How many rows of each type a guild may have: the one table of caps (docs/rules.md 3).
//!
//! Each is far above honest use and keeps one guild, or a stolen key, from filling the database of all. A count reads an
//! index of the guild's rows, and never more of them than the cap.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use strum::VariantArray;

use crate::{
    Conn, GuildId, Result, api_key, application_comment, application_panel, application_submission,
    audit_entry, binding, game_server, job, leave_request, link, link_attempt, lists, loa, log_channel,
    quota, registered_game, sanction, server_command, shield_flag, staff_action, staff_member, staff_note,
    staff_role, staff_session, strike, webhook,
};

/// A type of row that a key can create. A row that follows from one of these (an action that waits for approval, a
/// ticket, a mirror job) has no cap of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray)]
pub enum Cap {
    Links,
    LinkAttempts,
    Bindings,
    StaffRoles,
    StaffMembers,
    Leaves,
    LeaveRequests,
    Strikes,
    Notes,
    Quotas,
    Panels,
    Submissions,
    Comments,
    Games,
    GameServers,
    PendingCommands,
    CommandsOfServer,
    Sanctions,
    ShieldFlags,
    StaffSessions,
    StaffActions,
    CustomEntries,
    Jobs,
    Keys,
    Webhooks,
    LogChannels,
}

/// The texts of a cap's refusal.
pub struct Row {
    /// The rows, in the plural.
    pub name: &'static str,
    pub most: u64,
    /// What the caller can do.
    pub cure: &'static str,
}

const KEPT_AS_HISTORY: &str =
    "they are kept as history until their retention ends, which the operator of this service sets";

impl Cap {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    pub const fn row(self) -> Row {
        let (most, name, cure) = match self {
            Self::Links => (1_000_000, "links", "end old ones first"),
            Self::LinkAttempts => {
                (100_000, "unfinished attempts to link", "they are deleted 30 days after they expire")
            }
            // Each adds a check of every member to a bulk sync.
            Self::Bindings => (500, "bindings", "remove one first"),
            // The chat platform has 250 roles in a guild.
            Self::StaffRoles => (250, "staff roles", "delete one first"),
            Self::StaffMembers => (5_000, "staff members", "delete one first"),
            Self::Leaves => (10_000, "leaves of absence", "delete old ones first"),
            Self::LeaveRequests => (10_000, "requests for leave", KEPT_AS_HISTORY),
            Self::Strikes => (10_000, "strikes", "delete old ones first"),
            Self::Notes => (10_000, "notes", "delete old ones first"),
            Self::Quotas => (500, "quotas", "delete one first"),
            Self::Panels => (100, "application panels", "remove one first"),
            Self::Submissions => (100_000, "application submissions", KEPT_AS_HISTORY),
            Self::Comments => (100_000, "comments on applications", KEPT_AS_HISTORY),
            Self::Games => (1_000, "registered games", "use one of them"),
            Self::GameServers => (
                2_000,
                "game servers",
                "a server that is offline makes room; check who uses the guild's keys",
            ),
            Self::PendingCommands => {
                (10_000, "pending commands", "wait until servers acknowledge them or they expire")
            }
            Self::CommandsOfServer => {
                (100, "pending commands for one server", "wait until it acknowledges them or they expire")
            }
            Self::Sanctions => (1_000_000, "active bans and mutes", "lift old ones first"),
            Self::ShieldFlags => (1_000_000, "Shield flags", "ask the operator of this service to lift some"),
            Self::StaffSessions => (1_000_000, "ended staff sessions", KEPT_AS_HISTORY),
            Self::StaffActions => (10_000_000, "staff actions", KEPT_AS_HISTORY),
            Self::CustomEntries => (1_000_000, "audit entries of its own", KEPT_AS_HISTORY),
            Self::Jobs => (10_000, "unfinished jobs", "wait until some have ended"),
            Self::Keys => (1_000, "API keys", KEPT_AS_HISTORY),
            Self::Webhooks => (10, "webhooks", "remove one first"),
            Self::LogChannels => (10, "log channels", "remove one first"),
        };
        Row { name, most, cure }
    }

    /// The guild's rows, at most as many as the cap. [`Cap::CommandsOfServer`] is counted by its caller, who has the list.
    pub async fn count(self, conn: &impl Conn, guild: GuildId) -> Result<u64> {
        let mut count = 0;
        for mut rows in self.rows_of(guild) {
            count += lists::count(conn, rows.limit(self.row().most).take()).await?;
        }
        Ok(count)
    }

    /// Conditions are literals: Postgres uses a partial index only where it sees that its condition holds.
    fn rows_of(self, guild: GuildId) -> Vec<SelectStatement> {
        let rows = match self {
            Self::Keys => of::<api_key::Entity>(api_key::Column::GuildId, guild, ""),
            Self::Webhooks => of::<webhook::Entity>(webhook::Column::GuildId, guild, ""),
            Self::LogChannels => of::<log_channel::Entity>(log_channel::Column::GuildId, guild, ""),
            Self::Links => of::<link::Entity>(link::Column::GuildId, guild, ""),
            Self::LinkAttempts => {
                of::<link_attempt::Entity>(link_attempt::Column::GuildId, guild, "state <> 'ended'")
            }
            Self::Bindings => of::<binding::Entity>(binding::Column::GuildId, guild, ""),
            Self::StaffRoles => of::<staff_role::Entity>(staff_role::Column::GuildId, guild, ""),
            Self::StaffMembers => of::<staff_member::Entity>(staff_member::Column::GuildId, guild, ""),
            Self::Leaves => of::<loa::Entity>(loa::Column::GuildId, guild, ""),
            Self::LeaveRequests => of::<leave_request::Entity>(leave_request::Column::GuildId, guild, ""),
            Self::Strikes => of::<strike::Entity>(strike::Column::GuildId, guild, ""),
            Self::Notes => of::<staff_note::Entity>(staff_note::Column::GuildId, guild, ""),
            Self::Quotas => of::<quota::Entity>(quota::Column::GuildId, guild, ""),
            Self::Panels => of::<application_panel::Entity>(
                application_panel::Column::GuildId,
                guild,
                "removed_at IS NULL",
            ),
            Self::Submissions => {
                of::<application_submission::Entity>(application_submission::Column::GuildId, guild, "")
            }
            Self::Comments => {
                of::<application_comment::Entity>(application_comment::Column::GuildId, guild, "")
            }
            Self::Games => of::<registered_game::Entity>(registered_game::Column::GuildId, guild, ""),
            Self::GameServers => of::<game_server::Entity>(game_server::Column::GuildId, guild, ""),
            Self::PendingCommands => {
                of::<server_command::Entity>(server_command::Column::GuildId, guild, "state = 'queued'")
            }
            Self::CommandsOfServer => return Vec::new(),
            Self::Sanctions => of::<sanction::Entity>(sanction::Column::GuildId, guild, "lifted_at IS NULL"),
            Self::ShieldFlags => {
                of::<shield_flag::Entity>(shield_flag::Column::FlaggedByGuild, guild, "lifted_at IS NULL")
            }
            Self::StaffSessions => {
                of::<staff_session::Entity>(staff_session::Column::GuildId, guild, "ended_second IS NOT NULL")
            }
            Self::StaffActions => of::<staff_action::Entity>(staff_action::Column::GuildId, guild, ""),
            Self::CustomEntries => {
                of::<audit_entry::Entity>(audit_entry::Column::GuildId, guild, "source = 'custom'")
            }
            Self::Jobs => {
                return ["state IN ('queued', 'running')", "state = 'held'"]
                    .map(|state| of::<job::Entity>(job::Column::GuildId, guild, state))
                    .into();
            }
        };
        vec![rows]
    }
}

fn of<E: EntityTrait>(column: E::Column, guild: GuildId, only: &'static str) -> SelectStatement {
    let mut rows = Query::select();
    rows.expr(Expr::cust("1")).from(E::default()).and_where(column.into_expr().eq(guild));
    if !only.is_empty() {
        rows.and_where(Expr::cust(only));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_have_the_same_table() {
        let rules = include_str!("../../docs/rules.md");
        for cap in Cap::ALL {
            let Row { name, most, .. } = cap.row();
            let plain = |line: &str| line.replace(',', "").trim() == format!("| {name} | {most} |");
            assert!(rules.lines().any(plain), "{name}: {most}");
        }
    }
}
