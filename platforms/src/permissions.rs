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
    /// The permissions that the bot needs, with the platform's names.
    pub const NEEDED: [(Self, &'static str); 4] = [
        (Self(1 << 28), "Manage Roles"),
        (Self(1 << 27), "Manage Nicknames"),
        (Self(1 << 2), "Ban Members"),
        (Self(1 << 4), "Manage Channels"),
    ];

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
}
