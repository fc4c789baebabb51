//! `/guilds/:guildId/...` (interface 4.4 and 4.5): roles, members, audit log; and beyond it settings and jobs.

mod audit_logs;
mod jobs;
mod members;
mod roles;
mod settings;

pub(crate) use audit_logs::{add as add_audit_log, list as list_audit_logs};
pub(crate) use jobs::jobs;
pub(crate) use members::{members, verified_users};
pub(crate) use roles::roles;
pub(crate) use settings::{change as change_settings, show as settings};
