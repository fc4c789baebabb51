//! The permissions of a role on the chat platform that Guildhall uses.

use serde::{Deserialize, Serialize};

pub(crate) const ADMINISTRATOR: u64 = 1 << 3;

/// A set of permissions. Unknown ones are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Permissions(u64);

/// The platform writes a set as a decimal number in a string.
impl TryFrom<String> for Permissions {
    type Error = std::num::ParseIntError;

    fn try_from(digits: String) -> Result<Self, Self::Error> {
        digits.parse().map(Self)
    }
}

impl From<Permissions> for String {
    fn from(set: Permissions) -> Self {
        set.0.to_string()
    }
}

impl Permissions {
    pub const MANAGE_SERVER: Self = Self(1 << 5);

    /// The permissions that the bot needs, with the platform's names.
    pub const NEEDED: [(Self, &'static str); 4] = [
        (Self(1 << 28), "Manage Roles"),
        (Self(1 << 27), "Manage Nicknames"),
        (Self(1 << 2), "Ban Members"),
        (Self(1 << 4), "Manage Channels"),
    ];

    /// The permissions that make a role privileged (docs/rules.md 5): to administrate, to manage, and to act on other
    /// members, with the platform's names.
    const PRIVILEGED: [(Self, &'static str); 13] = [
        (Self(ADMINISTRATOR), "Administrator"),
        (Self::MANAGE_SERVER, "Manage Server"),
        (Self(1 << 28), "Manage Roles"),
        (Self(1 << 4), "Manage Channels"),
        (Self(1 << 29), "Manage Webhooks"),
        (Self(1 << 30), "Manage Expressions"),
        (Self(1 << 33), "Manage Events"),
        (Self(1 << 34), "Manage Threads"),
        (Self(1 << 13), "Manage Messages"),
        (Self(1 << 27), "Manage Nicknames"),
        (Self(1 << 2), "Ban Members"),
        (Self(1 << 1), "Kick Members"),
        (Self(1 << 40), "Timeout Members"),
    ];

    pub const ADMINISTRATOR: Self = Self(ADMINISTRATOR);

    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    /// Administrators have all permissions.
    #[must_use]
    pub const fn permits(self, wanted: Self) -> bool {
        self.0 & ADMINISTRATOR != 0 || self.0 & wanted.0 == wanted.0
    }

    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The name of a privileged permission in the set, the most powerful one first.
    pub(crate) fn privileged(self) -> Option<&'static str> {
        Self::PRIVILEGED.into_iter().find(|(one, _)| self.0 & one.0 != 0).map(|(_, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn administrators_have_all_permissions_and_others_their_own() {
        let [(roles, _), (nicknames, _), ..] = Permissions::NEEDED;
        let held = roles.with(Permissions::from_bits(1 << 40));
        assert!(held.permits(roles) && !held.permits(nicknames) && !held.permits(roles.with(nicknames)));
        assert!(Permissions::from_bits(ADMINISTRATOR).permits(roles.with(nicknames)));
    }

    #[test]
    fn the_most_powerful_privileged_permission_is_named() {
        let [both, neither] = [1 << 13 | ADMINISTRATOR, 1 << 11].map(Permissions::from_bits);
        assert_eq!((both.privileged(), neither.privileged()), (Some("Administrator"), None));
    }
}
