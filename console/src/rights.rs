//! What a signed-in person may do in a guild (docs/rules.md 10): who manages it on the chat platform is its admin; staff
//! have the chat permissions of their role. The platform is asked again at least every minute.

use std::time::{Duration, Instant};

use entities::console_session::Model;
use entities::{ChatId, GuildId, staff_directory};
use moka::sync::Cache;
use platforms::{CallContext, PlatformError};

use crate::Console;
use crate::answer::PageError;

/// The platform's answer is used for this long.
const KNOWN_FOR: Duration = Duration::from_secs(45);
/// While the platform is away, its last answer is used for this long.
const KEPT_FOR: Duration = Duration::from_secs(5 * 60);
const CAPACITY: u64 = 100_000;

/// What a page or action needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Any staff member.
    Staff,
    /// A chat permission of a staff role.
    Permission(&'static str),
    Admin,
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Viewer {
    pub(crate) user: ChatId,
    /// The guild that a link from the command line names: its holder sees no other.
    pub(crate) link_guild: Option<GuildId>,
}

impl Viewer {
    pub(crate) fn of(session: &Model) -> Self {
        Self { user: session.user_id, link_guild: session.guild_id }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Rights {
    pub(crate) admin: bool,
    /// The role's name, of staff.
    pub(crate) staff: Option<String>,
    permissions: Vec<String>,
}

impl Rights {
    pub(crate) fn may(&self, needs: Needs) -> bool {
        self.admin
            || match needs {
                Needs::Staff => self.staff.is_some(),
                Needs::Permission(name) => self.permissions.iter().any(|held| held == name),
                Needs::Admin => false,
            }
    }

    /// Neither an admin nor staff: for them the guild does not exist.
    pub(crate) fn is_stranger(&self) -> bool {
        !self.admin && self.staff.is_none()
    }

    /// How the console names the person's position.
    pub(crate) fn title(&self) -> &str {
        match &self.staff {
            _ if self.admin => "Admin",
            Some(role) => role,
            None => "",
        }
    }
}

pub(crate) struct RightsCache(Cache<(GuildId, ChatId), (Instant, bool)>);

impl Default for RightsCache {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(CAPACITY).time_to_live(KEPT_FOR).build())
    }
}

impl Console {
    pub(crate) async fn rights_of(&self, viewer: &Viewer, guild: GuildId) -> Result<Rights, PageError> {
        if viewer.link_guild.is_some_and(|only| only != guild) {
            return Ok(Rights::default());
        }
        let (conn, now) = (self.context.database.read(), self.context.clock.now());
        let staff = staff_directory::find(conn, guild, viewer.user, now).await?;
        let admin = match self.manages(viewer, guild).await {
            // What staff may is in our database.
            Err(PageError::Unavailable(_)) if staff.is_some() => false,
            manages => manages?,
        };
        let (staff, permissions) =
            staff.map_or((None, Vec::new()), |staff| (Some(staff.role_name), staff.permissions.0));
        Ok(Rights { admin, staff, permissions })
    }

    /// Whether the person manages the guild on the chat platform. Without a bot token only a link of the command line says
    /// who does.
    async fn manages(&self, viewer: &Viewer, guild: GuildId) -> Result<bool, PageError> {
        let (cache, key) = (&self.rights.0, (guild, viewer.user));
        let known = cache.get(&key);
        if let Some((_, manages)) = known.filter(|(read, _)| read.elapsed() < KNOWN_FOR) {
            return Ok(manages);
        }
        let read = Instant::now();
        match self.platforms.chat.guild_access(CallContext::interactive(guild), viewer.user).await {
            Ok(access) => {
                let manages = access.is_some_and(|access| access.manages());
                cache.insert(key, (read, manages));
                Ok(manages)
            }
            Err(PlatformError::NotConfigured(_)) => Ok(viewer.link_guild == Some(guild)),
            // The bot is not in the guild.
            Err(PlatformError::NotFound(_) | PlatformError::Forbidden { .. }) => {
                Ok(viewer.link_guild == Some(guild))
            }
            Err(error) => match known {
                Some((_, manages)) => Ok(manages),
                None => {
                    tracing::warn!(guild.id = %guild, %error, "cannot read who manages a guild");
                    Err(PageError::Unavailable(
                        "Discord does not say at the moment who manages this server".to_owned(),
                    ))
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn admins_may_everything_and_staff_what_their_role_permits() {
        let admin = Rights { admin: true, ..Rights::default() };
        assert!(
            [Needs::Staff, Needs::Permission("audit.read"), Needs::Admin].map(|needs| admin.may(needs))
                == [true; 3]
        );
        let staff = Rights {
            staff: Some("Helper".to_owned()),
            permissions: vec!["audit.read".to_owned()],
            ..Rights::default()
        };
        let may = [Needs::Staff, Needs::Permission("audit.read"), Needs::Permission("audit"), Needs::Admin];
        assert_eq!(may.map(|needs| staff.may(needs)), [true, true, false, false]);
        assert_eq!(
            (staff.title(), admin.title(), Rights::default().is_stranger()),
            ("Helper", "Admin", true)
        );
        assert_eq!(Rights { admin: true, ..staff }.title(), "Admin");
        assert!([Needs::Staff, Needs::Admin].iter().all(|needs| !Rights::default().may(*needs)));
    }
}
