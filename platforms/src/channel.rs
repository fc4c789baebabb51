//! Channels of the chat platform, and who sees them, in the platform's JSON.

use entities::{ChannelId, ChatId, RoleId};
use serde::{Deserialize, Deserializer, Serialize};

use crate::permissions::Permissions;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ChatChannel {
    pub id: ChannelId,
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default, rename = "type")]
    pub(crate) kind: u8,
    #[serde(default)]
    pub topic: Option<String>,
    #[serde(default, rename = "permission_overwrites", deserialize_with = "overwrites")]
    pub(crate) overwrites: Vec<Overwrite>,
}

impl ChatChannel {
    /// Those of text, and of announcements.
    const TEXT: [u8; 2] = [0, 5];

    const CATEGORY: u8 = 4;

    pub(crate) fn is_category(&self) -> bool {
        self.kind == Self::CATEGORY
    }

    pub(crate) fn is_text(&self) -> bool {
        Self::TEXT.contains(&self.kind)
    }
}

/// The viewers and writers of a private channel. Roles that no longer exist in the guild are skipped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Viewers {
    pub users: Vec<ChatId>,
    pub roles: Vec<RoleId>,
}

/// Whose permissions an [`Overwrite`] changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Principal {
    Role(RoleId),
    User(ChatId),
}

/// The permissions of a role or a user in one channel, overriding those elsewhere: sets of the platform's
/// permission bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(into = "OverwriteBody")]
pub struct Overwrite {
    pub of: Principal,
    pub allow: u64,
    pub deny: u64,
}

#[derive(Serialize, Deserialize)]
struct OverwriteBody {
    id: String,
    #[serde(rename = "type")]
    kind: u8,
    #[serde(default)]
    allow: Permissions,
    #[serde(default)]
    deny: Permissions,
}

const OVERWRITE_ROLE: u8 = 0;
const OVERWRITE_MEMBER: u8 = 1;

impl From<Overwrite> for OverwriteBody {
    fn from(overwrite: Overwrite) -> Self {
        let (id, kind) = match overwrite.of {
            Principal::Role(role) => (role.to_string(), OVERWRITE_ROLE),
            Principal::User(user) => (user.to_string(), OVERWRITE_MEMBER),
        };
        let [allow, deny] = [overwrite.allow, overwrite.deny].map(Permissions::from_bits);
        Self { id, kind, allow, deny }
    }
}

/// Overwrites of an unknown kind are skipped.
fn overwrites<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Overwrite>, D::Error> {
    let read = |body: OverwriteBody| {
        let of = match body.kind {
            OVERWRITE_ROLE => Principal::Role(body.id.parse().ok()?),
            OVERWRITE_MEMBER => Principal::User(body.id.parse().ok()?),
            _ => return None,
        };
        Some(Overwrite { of, allow: body.allow.bits(), deny: body.deny.bits() })
    };
    Ok(Vec::<OverwriteBody>::deserialize(deserializer)?.into_iter().filter_map(read).collect())
}

/// A text channel. Without overwrites it inherits its category's permissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewChannel {
    pub name: String,
    #[serde(rename = "parent_id", skip_serializing_if = "Option::is_none")]
    pub category: Option<ChannelId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    #[serde(rename = "permission_overwrites", skip_serializing_if = "Vec::is_empty")]
    pub overwrites: Vec<Overwrite>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn overwrites_are_read_as_they_are_written() {
        let of =
            [Principal::Role(RoleId::try_from(7).unwrap()), Principal::User(ChatId::try_from(9).unwrap())];
        let overwrites = of.map(|of| Overwrite { of, allow: 1 << 50, deny: 1024 }).to_vec();
        let channel =
            NewChannel { name: "x".into(), category: None, topic: None, overwrites: overwrites.clone() };
        let mut sent = json!(channel);
        assert_eq!(sent["permission_overwrites"][0]["deny"], "1024");
        sent["id"] = json!("5");
        let read: ChatChannel = serde_json::from_value(sent).unwrap();
        assert_eq!(read.overwrites, overwrites);
    }
}
