//! Accounts as their platform knows them, cached for a minute: forms and notices name people who have no
//! link.

use std::time::Duration;

use entities::{GuildId, PlayId, Subject};
use platforms::{CallContext, PlatformError, Platforms, Profile};
use runtime::TimedCache;

const KEPT_FOR: Duration = Duration::from_secs(60);
const CAPACITY: usize = 10_000;
/// A page waits for a platform no longer than this.
const PATIENCE: Duration = Duration::from_secs(3);

/// What a platform says of an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Account {
    Known {
        name: String,
        /// Of Discord users: whether they are in the server.
        is_member: Option<bool>,
    },
    /// No such account.
    Unknown,
}

/// By guild, because membership differs.
pub(crate) struct AccountCache {
    platforms: Platforms,
    accounts: TimedCache<(GuildId, Subject), Account>,
    profiles: TimedCache<PlayId, Option<Profile>>,
}

/// The platform's answer within the time that a page waits, or why there is none.
pub(crate) async fn soon<T>(read: impl Future<Output = Result<T, PlatformError>>) -> Result<T, String> {
    match tokio::time::timeout(PATIENCE, read).await {
        Ok(Ok(answer)) => Ok(answer),
        // The call says nothing to people.
        Ok(Err(error)) => Err(match error {
            PlatformError::Unavailable { cause, .. } => cause,
            other => other.to_string(),
        }),
        Err(_) => Err("it takes too long".to_owned()),
    }
}

impl AccountCache {
    pub(crate) fn new(platforms: Platforms) -> Self {
        let accounts = TimedCache::new(CAPACITY, KEPT_FOR);
        let profiles = TimedCache::new(CAPACITY, KEPT_FOR);
        Self { platforms, accounts, profiles }
    }

    /// `Err`: why the platform does not answer, in words.
    pub(crate) async fn find(&self, call: CallContext, subject: Subject) -> Result<Account, String> {
        soon(self.accounts.get_or_load(&(call.guild, subject), self.read(call, subject))).await
    }

    /// `None`: Roblox has no such user.
    pub(crate) async fn profile(&self, call: CallContext, play: PlayId) -> Result<Option<Profile>, String> {
        soon(self.profiles.get_or_load(&play, self.platforms.play.profile(call, play))).await
    }

    async fn read(&self, call: CallContext, subject: Subject) -> Result<Account, PlatformError> {
        let known = match subject {
            Subject::Chat(chat) => {
                let known = self.platforms.chat.known_user(call, chat).await?;
                known.map(|known| (known.user.name, Some(known.is_member)))
            }
            Subject::Play(play) => {
                let mut names = self.platforms.play.usernames(call, &[play]).await?;
                names.remove(&play).map(|name| (name, None))
            }
        };
        Ok(known.map_or(Account::Unknown, |(name, is_member)| Account::Known { name, is_member }))
    }
}
