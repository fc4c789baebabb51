//! What the planning of one run needs.

use platforms::{CallContext, GuildOverview};
use queue::kinds::SyncAll;
use queue::run::JobContext;

use crate::services::Services;
use crate::wanted::GuildRules;

/// What stays the same for one run over the pages.
pub(super) struct Planner<'a> {
    pub(super) services: &'a Services,
    pub(super) job: &'a JobContext,
    pub(super) args: &'a SyncAll,
    pub(super) rules: GuildRules,
    pub(super) overview: GuildOverview,
    pub(super) call: CallContext,
    /// Links of the guild, for the progress before all members were seen.
    pub(super) links: i64,
}
