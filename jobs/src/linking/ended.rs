//! The jobs that take away what a link gave: of a link that ends, and of one that ended while a sync still made changes for it.

use std::collections::HashMap;

use entities::audit_entry::Actor;
use entities::link::{self, Model};
use entities::{ChatId, GuildId, PlayId, RoleId, binding, guild, link_history};
use queue::{Draft, QueueError, enqueue_many};
use runtime::UnitOfWork;
use sea_orm::{ConnectionTrait, DbErr};

use crate::kinds::{SyncMember, UnlinkMember};

/// What links give in a guild now.
pub(super) struct Given {
    guild: GuildId,
    roles: Vec<RoleId>,
    nickname_template: String,
}

impl Given {
    pub(super) async fn read(conn: &impl ConnectionTrait, guild: GuildId) -> Result<Self, DbErr> {
        let bindings = binding::list(conn, guild).await?;
        let row = guild::find(conn, guild).await?;
        let verified = row.as_ref().and_then(|row| row.verified_role);
        let roles = bindings.iter().map(|binding| binding.rule.role_id).chain(verified).collect();
        Ok(Self { guild, roles, nickname_template: row.map(|row| row.nickname_template).unwrap_or_default() })
    }

    pub(super) fn by(&self, user: ChatId, play: PlayId, name: &str) -> UnlinkMember {
        UnlinkMember {
            guild: self.guild,
            user,
            play,
            play_username: name.to_owned(),
            roles: self.roles.clone(),
            nickname_template: self.nickname_template.clone(),
            erased: false,
        }
    }
}

/// The job of the user's last link; `None`: the audit log knows none.
async fn last_ended(
    conn: &impl ConnectionTrait,
    guild: GuildId,
    user: ChatId,
) -> Result<Option<UnlinkMember>, DbErr> {
    let last = link_history::of_person(conn, guild, user, None, 1).await?;
    let Some(last) = last.first() else { return Ok(None) };
    Ok(Some(Given::read(conn, guild).await?.by(user, last.play, &last.name)))
}

/// Enqueues what makes users right whose links have changed while another job made changes for the old ones: its last
/// calls may have come after the jobs of the new links.
pub async fn correct(
    work: &mut UnitOfWork,
    guild: GuildId,
    users: &[ChatId],
    actor: &Actor,
) -> Result<(), QueueError> {
    if users.is_empty() {
        return Ok(());
    }
    let linked = link::find_by_chats(work.tx(), guild, users).await?;
    let linked: HashMap<ChatId, Model> = linked.into_iter().map(|link| (link.chat_id, link)).collect();
    let mut drafts = Vec::with_capacity(users.len());
    for user in users {
        if linked.contains_key(user) {
            drafts.push(Draft::new(guild, &SyncMember::of(guild, *user), actor.clone())?);
        } else if let Some(ended) = last_ended(work.tx(), guild, *user).await? {
            drafts.push(Draft::new(guild, &ended, actor.clone())?);
        }
    }
    let messages = enqueue_many(work.tx(), drafts, work.now()).await?;
    work.publish(messages);
    Ok(())
}
