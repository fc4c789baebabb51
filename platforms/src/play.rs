//! The game platform's interface for the rest of Guildhall.

use std::collections::HashMap;

use async_trait::async_trait;
use entities::{GroupId, PlayId};

use crate::context::CallContext;
use crate::error::PlatformError;

/// Maximum users per membership call.
pub const MEMBERSHIP_USERS_PER_CALL: usize = 50;

/// The ranks (1 to 255, ascending) of users in groups. A pair that is absent is not in the group: rank 0.
pub type Ranks = HashMap<(PlayId, GroupId), Vec<i16>>;

#[async_trait]
pub trait PlayPlatform: Send + Sync {
    /// Any number of users: requested in batches of 50, a few at a time. An unknown group is `NotFound(Group)`,
    /// never an empty result, so a typing error cannot remove roles.
    async fn group_ranks(
        &self,
        call: CallContext,
        users: &[PlayId],
        groups: &[GroupId],
    ) -> Result<Ranks, PlatformError>;

    async fn group_roles(&self, call: CallContext, group: GroupId) -> Result<Vec<GroupRole>, PlatformError>;

    /// Current names. Users that do not exist are absent.
    async fn usernames(
        &self,
        call: CallContext,
        users: &[PlayId],
    ) -> Result<HashMap<PlayId, String>, PlatformError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRole {
    /// The platform's own id of the role, unique across groups.
    pub id: i64,
    pub name: String,
    /// 0 (guest) to 255 (owner). Several roles of a group may share a rank.
    pub rank: i16,
}
