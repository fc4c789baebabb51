//! Who banned whom, by the guild's audit log on the chat platform. The bot reads it with the permission View Audit Log.

use entities::{ChatId, Timestamp};
use reqwest::Method;
use serde::Deserialize;

use super::ChatPlatform;
use crate::context::CallContext;
use crate::error::Result;
use crate::routes::chat as routes;

/// The most of one call.
const PER_PAGE: usize = 100;

/// What an entry tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BanDeed {
    Ban,
    Lift,
}

impl BanDeed {
    pub const ALL: [Self; 2] = [Self::Ban, Self::Lift];

    /// The number of the platform.
    fn number(self) -> u8 {
        match self {
            Self::Ban => 22,
            Self::Lift => 23,
        }
    }
}

#[derive(Deserialize)]
struct LogBody {
    audit_log_entries: Vec<EntryBody>,
}

#[derive(Deserialize)]
struct EntryBody {
    id: ChatId,
    /// Null: the platform.
    user_id: Option<ChatId>,
    target_id: Option<ChatId>,
}

impl ChatPlatform {
    /// Who banned this user last, or lifted the ban, among the last of such entries.
    pub async fn last_doer(&self, call: CallContext, deed: BanDeed, user: ChatId) -> Result<Option<ChatId>> {
        let entries = self.ban_log(call, deed, None).await?;
        let of_user = entries.iter().filter(|entry| entry.target_id == Some(user));
        Ok(of_user.max_by_key(|entry| entry.id).and_then(|entry| entry.user_id))
    }

    /// The users who were banned, or whose ban was lifted, since then.
    pub async fn banned_since(
        &self,
        call: CallContext,
        deed: BanDeed,
        since: Timestamp,
    ) -> Result<Vec<ChatId>> {
        let (mut users, mut after) = (Vec::new(), ChatId::first_at(since));
        loop {
            let entries = self.ban_log(call, deed, Some(after)).await?;
            users.extend(entries.iter().filter_map(|entry| entry.target_id));
            match entries.iter().map(|entry| entry.id).max() {
                Some(last) if entries.len() == PER_PAGE && last > after => after = last,
                _ => return Ok(users),
            }
        }
    }

    /// The last entries, or the first ones after an id.
    async fn ban_log(
        &self,
        call: CallContext,
        deed: BanDeed,
        after: Option<ChatId>,
    ) -> Result<Vec<EntryBody>> {
        let request = self
            .request(Method::GET, routes::AUDIT_LOG, &format!("/guilds/{}/audit-logs", call.guild))?
            .query("action_type", deed.number().to_string())
            .query("limit", PER_PAGE.to_string());
        let request = match after {
            Some(after) => request.query("after", after.to_string()),
            None => request,
        };
        Ok(self.read::<LogBody>(call, &request).await?.audit_log_entries)
    }
}
