//! The jobs that take away what a link gave: of a link that ends, and of one that ended while a sync still made changes for it.

use std::collections::HashMap;

use entities::audit_entry::Actor;
use entities::{ChatId, GuildId, PlayId, RoleId, binding, guild, link, link_history};
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

/// Enqueues what makes users right whose link is another than the one that a job made changes for: its last calls may have
/// come after the jobs of the new links. `made_for`: users and the game accounts of their links; `None`: any.
pub async fn correct(
    work: &mut UnitOfWork,
    guild: GuildId,
    made_for: &[(ChatId, Option<PlayId>)],
    actor: &Actor,
) -> Result<(), QueueError> {
    if made_for.is_empty() {
        return Ok(());
    }
    let users: Vec<ChatId> = made_for.iter().map(|(user, _)| *user).collect();
    let linked = link::find_by_chats(work.tx(), guild, &users).await?;
    let linked: HashMap<ChatId, PlayId> =
        linked.into_iter().map(|link| (link.chat_id, link.play_id)).collect();
    let (mut drafts, mut gone) = (Vec::new(), Vec::new());
    for (user, play) in made_for {
        match linked.get(user) {
            None => gone.push(*user),
            Some(now) if play.is_none_or(|play| play == *now) => {}
            Some(_) => drafts.push(Draft::new(guild, &SyncMember::of(guild, *user), actor.clone())?),
        }
    }
    if !gone.is_empty() {
        let given = Given::read(work.tx(), guild).await?;
        for user in gone {
            // The audit log may know no link of theirs.
            for last in link_history::of_person(work.tx(), guild, user, None, 1).await? {
                drafts.push(Draft::new(guild, &given.by(user, last.play, &last.name), actor.clone())?);
            }
        }
    }
    Ok(enqueue_many(work, drafts).await?)
}
