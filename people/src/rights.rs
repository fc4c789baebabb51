//! What a signed-in person may do in a guild (docs/rules.md 10): people who manage it on the chat platform
//! are its admins; staff have the chat permissions of their role. The platform is asked again at least every
//! minute.

use std::fmt;
use std::time::Duration;

use entities::console_session::Model;
use entities::staff_directory::{self, Described};
use entities::{ChatId, GuildId};
use platforms::{CallContext, GuildAccess, Permissions, PlatformError, Platforms};
use runtime::{Context, TimedCache};
use sea_orm::DbErr;

/// The platform's answer is used for this long.
const KNOWN_FOR: Duration = Duration::from_secs(45);
/// While the platform is away, its last answer is used for this long.
const KEPT_FOR: Duration = Duration::from_secs(5 * 60);
const CAPACITY: usize = 100_000;

/// What a page or action needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Everybody who is signed in, for what concerns themselves: the call checks it.
    Member,
    /// Any staff member.
    Staff,
    /// A chat permission of a staff role.
    Permission(&'static str),
    Admin,
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member => f.write_str("to be signed in"),
            Self::Staff => f.write_str("a staff role"),
            Self::Permission(name) => write!(f, "the permission {name}"),
            Self::Admin => f.write_str("to be an admin of the guild"),
        }
    }
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Viewer {
    pub user: ChatId,
    /// The guild that a link from the command line names: its holder sees only this one.
    pub link_guild: Option<GuildId>,
    /// Whether that link makes an admin: decided when it was made, and used only while no bot token is
    /// configured.
    pub link_admin: bool,
}

impl Viewer {
    pub fn of(session: &Model) -> Self {
        Self { user: session.user_id, link_guild: session.guild_id, link_admin: session.admin }
    }
}

/// A person's rights by the chat platform's own permissions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// The platform says that they are not in the guild.
    Absent,
    /// The platform does not show the guild to the bot.
    #[default]
    Unknown,
    Member,
    /// Has Manage Server.
    Manages,
    /// Owns the guild, or has Administrator.
    Administrates,
}

impl Standing {
    /// The owner has every permission.
    fn of_permissions(permissions: Permissions) -> Self {
        if permissions.permits(Permissions::ADMINISTRATOR) {
            Self::Administrates
        } else if permissions.permits(Permissions::MANAGE_SERVER) {
            Self::Manages
        } else {
            Self::Member
        }
    }

    fn of(access: &GuildAccess) -> Self {
        match (access.administrates(), access.manages()) {
            (true, _) => Self::Administrates,
            (false, true) => Self::Manages,
            (false, false) => Self::Member,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rights {
    /// The chat platform says that they are in the guild.
    pub member: bool,
    /// Manages the guild on the chat platform.
    pub admin: bool,
    /// May do everything there: only such people grant powerful roles (docs/rules.md 5).
    pub administrates: bool,
    /// The role's name, of staff.
    pub staff: Option<String>,
    permissions: Vec<String>,
}

impl Rights {
    fn new(standing: Standing, staff: Option<Described>) -> Self {
        let (member, admin) = (standing >= Standing::Member, standing >= Standing::Manages);
        let administrates = standing == Standing::Administrates;
        // Whoever left or was removed there has no place among the staff here.
        let staff = staff.filter(|_| standing != Standing::Absent);
        let (staff, permissions) =
            staff.map_or((None, Vec::new()), |staff| (Some(staff.role_name), staff.permissions.0));
        Self { member, admin, administrates, staff, permissions }
    }

    pub fn may(&self, needs: Needs) -> bool {
        self.admin
            || match needs {
                Needs::Member => true,
                Needs::Staff => self.staff.is_some(),
                Needs::Permission(name) => self.permissions.iter().any(|held| held == name),
                Needs::Admin => false,
            }
    }

    /// Neither an admin nor staff: for them the guild does not exist.
    pub fn is_stranger(&self) -> bool {
        !self.admin && self.staff.is_none()
    }

    /// The person's position as the console names it.
    pub fn title(&self) -> &str {
        match &self.staff {
            _ if self.admin => "Admin",
            Some(role) => role,
            None => "",
        }
    }
}

/// The rights of a person cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum RightsError {
    #[error("Discord does not answer at the moment: your rights here are unknown")]
    Unavailable,
    #[error(transparent)]
    Database(#[from] DbErr),
}

pub struct RightsCache {
    context: Context,
    platforms: Platforms,
    /// With the steady time at which the platform was asked.
    standings: TimedCache<(GuildId, ChatId), (Duration, Standing)>,
}

impl RightsCache {
    pub fn new(context: Context, platforms: Platforms) -> Self {
        let standings = TimedCache::new(CAPACITY, KEPT_FOR);
        Self { context, platforms, standings }
    }

    pub async fn of(&self, viewer: &Viewer, guild: GuildId) -> Result<Rights, RightsError> {
        if viewer.link_guild.is_some_and(|only| only != guild) {
            return Ok(Rights::default());
        }
        let staff = self.staff(guild, viewer.user).await?;
        let standing = match self.standing(viewer, guild).await {
            // The permissions of staff are in our database.
            Err(RightsError::Unavailable) if staff.is_some() => Standing::Member,
            standing => standing?,
        };
        Ok(Rights::new(standing, staff))
    }

    /// The rights of a person whose permissions the platform has just said.
    pub async fn by_permissions(
        &self,
        guild: GuildId,
        user: ChatId,
        permissions: Permissions,
    ) -> Result<Rights, RightsError> {
        let staff = self.staff(guild, user).await?;
        Ok(Rights::new(Standing::of_permissions(permissions), staff))
    }

    async fn staff(&self, guild: GuildId, user: ChatId) -> Result<Option<Described>, DbErr> {
        let (conn, now) = (self.context.database.read(), self.context.clock.now());
        staff_directory::find(conn, guild, user, now).await
    }

    /// The person's rights on the chat platform. Without a bot token only a link of the command line makes an
    /// admin. If the platform does not show the guild to the bot, there are no admins.
    async fn standing(&self, viewer: &Viewer, guild: GuildId) -> Result<Standing, RightsError> {
        let (cache, key) = (&self.standings, (guild, viewer.user));
        let (known, read) = (cache.get(&key), self.context.clock.steady());
        if let Some((_, standing)) = known.filter(|(before, _)| read.saturating_sub(*before) < KNOWN_FOR) {
            return Ok(standing);
        }
        match self.platforms.chat.guild_access(CallContext::interactive(guild), viewer.user).await {
            Ok(access) => {
                let standing = access.as_ref().map_or(Standing::Absent, Standing::of);
                cache.insert(key, (read, standing));
                Ok(standing)
            }
            Err(PlatformError::NotConfigured(_)) if viewer.link_admin && viewer.link_guild == Some(guild) => {
                Ok(Standing::Administrates)
            }
            // Whoever makes the link names guild and person.
            Err(PlatformError::NotConfigured(_)) if viewer.link_guild == Some(guild) => Ok(Standing::Member),
            Err(PlatformError::NotConfigured(_)) => Ok(Standing::Unknown),
            // The bot is not in the guild.
            Err(PlatformError::NotFound(_) | PlatformError::Forbidden { .. }) => {
                cache.insert(key, (read, Standing::Unknown));
                Ok(Standing::Unknown)
            }
            Err(error) => match known {
                Some((_, standing)) => Ok(standing),
                None => {
                    tracing::warn!(guild.id = %guild, %error, "cannot read who manages a guild");
                    Err(RightsError::Unavailable)
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn staff_who_left_the_guild_have_no_rights() {
        let title = |standing| {
            let staff = Described {
                chat_id: ChatId::SYSTEM,
                play_id: None,
                play_username: None,
                role_id: entities::RoleId::try_from(1).unwrap(),
                role_name: "Helper".to_owned(),
                permissions: entities::staff_role::Permissions::default(),
                play_permissions: entities::staff_role::Permissions::default(),
                joined_at: entities::Timestamp::default(),
                by_role: false,
                on_duty: false,
            };
            Rights::new(standing, Some(staff)).title().to_owned()
        };
        assert_eq!(
            [Standing::Absent, Standing::Unknown, Standing::Member].map(title),
            ["", "Helper", "Helper"]
        );
    }

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
