//! Which powerful roles of the chat platform Guildhall gives (docs/rules.md 5): those with a privileged permission, and where
//! a guild takes its staff from roles (section 6), the staff roles. Without the guild's permission it gives none of them.

use super::Model;
use crate::{Conn, GuildId, Result, RoleId, staff_role};

#[derive(Debug, Clone, Default)]
pub struct Grants {
    allowed: Vec<RoleId>,
    staff: Vec<RoleId>,
}

impl Grants {
    pub async fn of(conn: &impl Conn, guild: &Model) -> Result<Self> {
        let staff = if guild.staff_by_role {
            staff_role::list(conn, guild.guild_id).await?.into_iter().map(|role| role.role_id).collect()
        } else {
            Vec::new()
        };
        Ok(Self { allowed: guild.allowed_privileged_roles.0.clone(), staff })
    }

    pub async fn read(conn: &impl Conn, guild: GuildId) -> Result<Self> {
        match super::find(conn, guild).await? {
            Some(guild) => Self::of(conn, &guild).await,
            None => Ok(Self::default()),
        }
    }

    /// The guild allows this role, however powerful.
    pub fn allow(&self, role: RoleId) -> bool {
        self.allowed.contains(&role)
    }

    /// Whoever holds this role is staff.
    pub fn make_staff(&self, role: RoleId) -> bool {
        self.staff.contains(&role)
    }
}

/// No role makes staff.
impl From<Vec<RoleId>> for Grants {
    fn from(allowed: Vec<RoleId>) -> Self {
        Self { allowed, staff: Vec::new() }
    }
}
