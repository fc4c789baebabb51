//! What the stream tells of a guild's members: a change is seen by comparing a member before and after it.

use entities::{ChatId, GuildId, RoleId};
use serde_json::{Value, json};

use crate::objects;
use crate::state::{Guild, Member, Role};
use crate::stream::{GUILD_MEMBERS, GUILD_MODERATION, GUILDS, Stream};

/// A user of a guild at one moment.
#[derive(Debug)]
pub(crate) struct Look {
    member: Option<Member>,
    banned: bool,
}

impl Look {
    pub(crate) fn at(guild: &Guild, user: ChatId) -> Self {
        Self { member: guild.members.get(&user).cloned(), banned: guild.bans.contains_key(&user) }
    }
}

impl Stream {
    /// Tells what became of a user since `before`.
    pub(crate) fn announce(&mut self, id: GuildId, guild: &Guild, user: ChatId, before: &Look) {
        let after = Look::at(guild, user);
        let of_user = || json!({ "guild_id": id, "user": objects::user(user, false) });
        match (before.banned, after.banned) {
            (false, true) => self.dispatch(id, GUILD_MODERATION, "GUILD_BAN_ADD", &of_user()),
            (true, false) => self.dispatch(id, GUILD_MODERATION, "GUILD_BAN_REMOVE", &of_user()),
            _ => {}
        }
        let with_guild = |mut member: Value| {
            member["guild_id"] = json!(id);
            member
        };
        match (&before.member, &after.member) {
            (None, Some(member)) => {
                let member = with_guild(objects::member(user, member));
                self.dispatch(id, GUILD_MEMBERS, "GUILD_MEMBER_ADD", &member);
            }
            (Some(_), None) => self.dispatch(id, GUILD_MEMBERS, "GUILD_MEMBER_REMOVE", &of_user()),
            (Some(old), Some(new)) if !old.looks_like(new) || old.pending != new.pending => {
                let member = with_guild(objects::member(user, new));
                self.dispatch(id, GUILD_MEMBERS, "GUILD_MEMBER_UPDATE", &member);
            }
            _ => {}
        }
    }

    /// The bot joined the guild, or starts a session in it.
    pub(crate) fn guild_event(id: GuildId, guild: &Guild) -> Value {
        let mut body = objects::guild(id, guild, false);
        let more = json!({
            "joined_at": objects::JOINED_AT, "large": guild.members.len() > 250, "unavailable": false,
            "member_count": guild.members.len(), "members": [], "channels": [], "threads": [], "presences": [],
            "voice_states": [], "stage_instances": [], "guild_scheduled_events": [],
        });
        if let (Value::Object(body), Value::Object(more)) = (&mut body, more) {
            body.extend(more);
        }
        body
    }

    pub(crate) fn role_changed(&mut self, guild: GuildId, id: RoleId, role: &Role) {
        let data = json!({ "guild_id": guild, "role": objects::role(id, role) });
        self.dispatch(guild, GUILDS, "GUILD_ROLE_UPDATE", &data);
    }

    pub(crate) fn role_deleted(&mut self, guild: GuildId, id: RoleId) {
        self.dispatch(guild, GUILDS, "GUILD_ROLE_DELETE", &json!({ "guild_id": guild, "role_id": id }));
    }
}
