//! The inputs of one planning run.

use jobs::bulk_sync::SyncAll;
use jobs::staff_by_role::Staff;
use platforms::{CallContext, GuildOverview, GuildRules, Platforms};
use queue::run::JobContext;

/// The inputs that stay the same across pages.
pub(super) struct Planner<'a> {
    pub(super) platforms: &'a Platforms,
    pub(super) job: &'a JobContext,
    pub(super) args: &'a SyncAll,
    pub(super) rules: GuildRules,
    /// Where roles make staff; a dry run changes nobody.
    pub(super) staff: Option<Staff>,
    pub(super) overview: GuildOverview,
    pub(super) call: CallContext,
    /// Links of the guild, for the progress before all members were seen.
    pub(super) links: i64,
}
