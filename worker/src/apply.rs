//! The one platform call that brings a member in line: full role list and nickname together (decisions 5).

use entities::{ChatId, RoleId};
use platforms::{CallContext, ChatPlatform, MemberUpdate, PlatformError};

use crate::wanted::Change;

/// Stands in the guild's own audit log on the chat platform.
const REASON: &str = "role and nickname sync";

/// How an update went that went at least in part.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Applied {
    /// The nickname was refused. The roles, where there were any to change, are set.
    pub(crate) nickname_refused: Option<PlatformError>,
}

/// Carries out `change` for a member who holds `held`; no call where nothing changes.
///
/// The guild's owner keeps their nickname whatever the bot's place, and the platform refuses the roles along with it.
/// That cannot be seen beforehand, so a refusal of both is followed by one try of the roles alone.
pub(crate) async fn apply(
    chat: &dyn ChatPlatform,
    call: CallContext,
    user: ChatId,
    (held, change): (&[RoleId], &Change),
) -> Result<Applied, PlatformError> {
    if change.is_empty() {
        return Ok(Applied::default());
    }
    let roles = change.changes_roles().then(|| change.roles_after(held));
    let update = MemberUpdate { roles: roles.clone(), nick: change.nick.clone().map(Some) };
    match chat.update_member(call, user, update, REASON).await {
        Err(refused @ PlatformError::Forbidden { .. }) if change.nick.is_some() => {
            if roles.is_some() {
                chat.update_member(call, user, MemberUpdate { roles, nick: None }, REASON).await?;
            }
            Ok(Applied { nickname_refused: Some(refused) })
        }
        settled => settled.map(|()| Applied::default()),
    }
}
