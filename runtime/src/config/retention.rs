//! How long rows are kept: the one table of retention, from which the settings, their help and the deletes come.

use std::num::NonZeroU16;
use std::time::Duration;

use crate::error::StartError;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

const DAY: Duration = Duration::from_hours(24);

/// A type of row that is deleted some time after its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    Jobs,
    AuditEntries,
    SyncEntries,
    Sanctions,
    Flags,
    Sessions,
    Actions,
    LeaveRequests,
    PendingActions,
    Submissions,
    Keys,
}

/// Its line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The rows, in the plural, and the start of their time.
    pub what: &'static str,
    pub variable: &'static str,
    pub default: u16,
    /// Fewer days would break a promise or a statistic.
    pub floor: u16,
}

impl Kept {
    pub const ALL: &'static [Self] = &[
        Self::Jobs,
        Self::AuditEntries,
        Self::SyncEntries,
        Self::Sanctions,
        Self::Flags,
        Self::Sessions,
        Self::Actions,
        Self::LeaveRequests,
        Self::PendingActions,
        Self::Submissions,
        Self::Keys,
    ];

    pub const fn row(self) -> Row {
        let (variable, what, default, floor) = match self {
            Self::Jobs => ("GUILDHALL_RETENTION_JOBS", "jobs, after their end", 30, 2),
            Self::AuditEntries => ("GUILDHALL_RETENTION_AUDIT", "entries of the audit log", 400, 30),
            Self::SyncEntries => {
                ("GUILDHALL_RETENTION_SYNC_AUDIT", "entries of single members that a sync changed", 90, 7)
            }
            Self::Sanctions => ("GUILDHALL_RETENTION_SANCTIONS", "bans and mutes, after their end", 730, 30),
            Self::Flags => ("GUILDHALL_RETENTION_FLAGS", "Shield flags, after they are lifted", 730, 30),
            // A statistic shows the month before the current one.
            Self::Sessions => ("GUILDHALL_RETENTION_SESSIONS", "staff sessions, after their end", 730, 93),
            Self::Actions => ("GUILDHALL_RETENTION_ACTIONS", "staff actions", 730, 93),
            Self::LeaveRequests => {
                ("GUILDHALL_RETENTION_LEAVE_REQUESTS", "requests for leave, after the decision", 365, 30)
            }
            Self::PendingActions => (
                "GUILDHALL_RETENTION_PENDING_ACTIONS",
                "approvals of staff actions, after the decision",
                365,
                30,
            ),
            Self::Submissions => (
                "GUILDHALL_RETENTION_SUBMISSIONS",
                "application submissions with their tickets, after the decision and the opening of the ticket",
                365,
                30,
            ),
            Self::Keys => ("GUILDHALL_RETENTION_KEYS", "API keys, after their end", 365, 30),
        };
        Row { what, variable, default, floor }
    }

    /// Of the flag: `retention-jobs`.
    fn id(self) -> String {
        self.row().variable.trim_start_matches("GUILDHALL_").to_ascii_lowercase().replace('_', "-")
    }
}

/// Days for each type of row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retention(Vec<u16>);

impl Default for Retention {
    fn default() -> Self {
        Self(Kept::ALL.iter().map(|kept| kept.row().default).collect())
    }
}

impl Retention {
    pub fn of(&self, kept: Kept) -> Duration {
        DAY * u32::from(self.0[kept as usize])
    }
}

/// The flags as given.
#[derive(Debug, Clone)]
pub struct RetentionArgs(Vec<NonZeroU16>);

impl RetentionArgs {
    /// Refuses what is below a floor.
    pub fn checked(&self) -> Result<Retention, StartError> {
        let days = Kept::ALL.iter().zip(&self.0).map(|(kept, days)| {
            let Row { variable, floor, what, .. } = kept.row();
            if days.get() >= floor {
                return Ok(days.get());
            }
            let problem = format!("is {days}: give at least {floor} days ({what})");
            Err(StartError::setting(variable, problem))
        });
        days.collect::<Result<_, _>>().map(Retention)
    }
}

impl Args for RetentionArgs {
    fn augment_args(command: Command) -> Command {
        let arg = |kept: &Kept| {
            let Row { what, variable, default, floor } = kept.row();
            let id = kept.id();
            Arg::new(id.clone())
                .long(id)
                .env(variable)
                .value_name("DAYS")
                .default_value(default.to_string())
                .value_parser(clap::value_parser!(NonZeroU16))
                .help(format!("How long to keep {what}; at least {floor}"))
                .help_heading("Retention")
        };
        command.args(Kept::ALL.iter().map(arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for RetentionArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |kept: &Kept| {
            let days = matches.get_one(&kept.id()).copied();
            days.ok_or_else(|| clap::Error::new(clap::error::ErrorKind::MissingRequiredArgument))
        };
        Kept::ALL.iter().map(given).collect::<Result<_, _>>().map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(arguments: &[&str]) -> Result<Retention, String> {
        let command = RetentionArgs::augment_args(Command::new("serve"));
        let matches = command.try_get_matches_from([&["serve"], arguments].concat());
        let args = matches.and_then(|matches| RetentionArgs::from_arg_matches(&matches));
        args.map_err(|error| error.to_string())?.checked().map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_below_the_floor_is_refused_by_name() {
        assert_eq!(given(&[]), Ok(Retention::default()));
        let longer = given(&["--retention-audit", "3650"]).unwrap();
        assert_eq!(longer.of(Kept::AuditEntries), DAY * 3650);
        assert_eq!(longer.of(Kept::Jobs), DAY * 30);
        for kept in Kept::ALL {
            let Row { variable, floor, default, .. } = kept.row();
            assert!(floor <= default, "{variable}");
            let flag = format!("--{}", kept.id());
            assert!(given(&[&flag, &floor.to_string()]).is_ok(), "{variable}");
            let refused = given(&[&flag, &(floor - 1).to_string()]).unwrap_err();
            assert!(refused.starts_with(variable) && refused.contains(&floor.to_string()), "{refused}");
        }
        assert!(given(&["--retention-jobs", "0"]).is_err());
    }

    #[test]
    fn the_documentation_has_the_same_table() {
        let operations = include_str!("../../../docs/operations.md");
        for kept in Kept::ALL {
            let Row { what, variable, default, floor } = kept.row();
            let line = format!("| `{variable}` | {what} | {default} | {floor} |");
            assert!(operations.lines().any(|other| other == line), "{line}");
        }
    }
}
