//! `/guilds/:guildId/...` (docs/rules.md 6 and 8): roles, members, audit log, staff; and beyond it settings
//! and jobs.

pub(crate) mod application_panels;
pub(crate) mod application_submissions;
mod audit_logs;
mod jobs;
mod members;
mod roles;
mod servers;
mod settings;
pub(crate) mod staff;
mod staff_play;

pub(crate) use audit_logs::{add as add_audit_log, list as list_audit_logs};
pub(crate) use jobs::jobs;
pub(crate) use members::{members, verified_users};
pub(crate) use roles::roles;
pub(crate) use servers::{command_all, list as servers};
pub(crate) use settings::{change as change_settings, show as settings};
pub(crate) use staff_play::permissions as play_permissions;
