//! The objects of the game platform, as far as Guildhall uses them.

use std::collections::HashMap;

use entities::{GroupId, PlayId, Timestamp};

/// Maximum users per membership call.
pub const MEMBERSHIP_USERS_PER_CALL: usize = 50;
/// Maximum users per call for their names.
pub const NAMES_PER_CALL: usize = 200;

/// The ranks (1 to 255, ascending) of users in groups. A pair that is absent is not in the group: rank 0.
pub type Ranks = HashMap<(PlayId, GroupId), Vec<i16>>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRole {
    /// The platform's own id of the role, unique across groups.
    pub id: i64,
    pub name: String,
    /// 0 (guest) to 255 (owner). Several roles of a group may share a rank.
    pub rank: i16,
}

/// An account on the game platform that a person has proven to own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Player {
    pub id: PlayId,
    pub name: String,
    /// `None`: the platform that vouches for the account does not say.
    pub created_at: Option<Timestamp>,
}

/// What anybody can read of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    pub id: PlayId,
    pub name: String,
    /// The text that the user writes about themselves.
    pub description: String,
    pub created_at: Timestamp,
}
