//! What a role permits on the chat platform, as far as Guildhall needs it.

const ADMINISTRATOR: u64 = 1 << 3;

/// A set of permissions. Unknown ones are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Permissions(u64);

impl Permissions {
    /// What the bot needs, with the platform's names.
    pub const NEEDED: [(Self, &'static str); 4] = [
        (Self(1 << 28), "Manage Roles"),
        (Self(1 << 27), "Manage Nicknames"),
        (Self(1 << 2), "Ban Members"),
        (Self(1 << 4), "Manage Channels"),
    ];

    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Administrators may everything.
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
    fn an_administrator_may_everything_and_others_what_they_hold() {
        let [(roles, _), (nicknames, _), ..] = Permissions::NEEDED;
        let held = roles.with(Permissions::from_bits(1 << 40));
        assert!(held.permits(roles) && !held.permits(nicknames) && !held.permits(roles.with(nicknames)));
        assert!(Permissions::from_bits(ADMINISTRATOR).permits(roles.with(nicknames)));
    }
}
