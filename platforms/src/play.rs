//! The objects of the game platform, as far as Guildhall uses them.

use std::collections::HashMap;

use entities::{GroupId, GroupRoleId, PlayId, Timestamp};

/// Maximum users per membership call.
pub const MEMBERSHIP_USERS_PER_CALL: usize = 50;
/// Maximum users per call for their names.
pub const NAMES_PER_CALL: usize = 200;

/// The roles of users in groups, by ascending rank. A pair that is absent is not in the group: rank 0.
pub type Memberships = HashMap<(PlayId, GroupId), Vec<GroupRole>>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRole {
    /// Unique across groups.
    pub id: GroupRoleId,
    pub name: String,
    /// 0 (guest) to 255 (owner). Several roles of a group may share a rank.
    pub rank: i16,
}

/// The names of a user: the unique one, and the one that games show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayNames {
    pub name: String,
    pub display_name: String,
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
    /// The one that games show.
    pub display_name: String,
    /// The text that the user writes about themselves.
    pub description: String,
    pub created_at: Timestamp,
}
