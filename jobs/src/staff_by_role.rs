//! Staff by roles of the chat platform, where the guild wants that (docs/rules.md 6).
//!
//! Events, syncs and `catch_up` only notice that somebody differs from the roles that they hold; the job
//! (`worker/src/staff_by_role.rs`) reads the member and decides.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use entities::job::Class;
use entities::staff_member::{self, Model};
use entities::{ChatId, GuildId, RoleId, guild, staff_role, staff_session};
use platforms::ChatMember;
use queue::{Payload, QueueError};
use runtime::{Event, UnitOfWork};
use sea_orm::{ConnectionTrait, DbErr};
use serde::{Deserialize, Serialize};

use crate::one_waiting;

/// Makes one user staff, or ends that, by the roles that they hold then.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StaffByRole {
    pub guild: GuildId,
    pub user: ChatId,
}

impl Payload for StaffByRole {
    const KIND: &'static str = "staff_by_role";
    const CLASS: Class = Class::Default;
}

/// A guild's staff, and the roles that make staff: the one that permits most first, of equal ones the oldest.
#[derive(Default)]
pub struct Staff {
    roles: Vec<RoleId>,
    members: BTreeMap<ChatId, Model>,
}

impl Staff {
    /// `None`: roles make nobody staff.
    pub async fn load<C: ConnectionTrait>(conn: &C, guild: &guild::Model) -> Result<Option<Self>, DbErr> {
        if !guild.staff_by_role {
            return Ok(None);
        }
        let mut roles = staff_role::list(conn, guild.guild_id).await?;
        roles.sort_by_key(|role| {
            (Reverse(role.permissions.0.len() + role.play_permissions.0.len()), role.created_at, role.role_id)
        });
        let members = staff_member::list(conn, guild.guild_id).await?;
        Ok(Some(Self {
            roles: roles.into_iter().map(|role| role.role_id).collect(),
            members: members.into_iter().map(|member| (member.chat_id, member)).collect(),
        }))
    }

    pub fn member(&self, user: ChatId) -> Option<&Model> {
        self.members.get(&user)
    }

    /// The role with which a member is staff who is in the guild.
    pub fn wanted(&self, member: &ChatMember) -> Option<RoleId> {
        self.roles.iter().copied().find(|role| !member.is_bot && member.roles.contains(role))
    }

    /// Whether something is to be done about a user. Who was added by hand and holds no such role stays.
    pub fn differs(&self, user: ChatId, wanted: Option<RoleId>) -> bool {
        match (self.members.get(&user), wanted) {
            (Some(known), Some(role)) => known.role_id != role || !known.by_role,
            (Some(known), None) => known.by_role,
            (None, wanted) => wanted.is_some(),
        }
    }

    /// Whom something is to be done about, of a page that covers all members after one, up to another.
    pub fn differing(
        &self,
        members: &[ChatMember],
        (after, up_to): (Option<ChatId>, Option<ChatId>),
    ) -> Vec<ChatId> {
        let here: BTreeSet<ChatId> = members.iter().map(|member| member.chat_id).collect();
        let covered =
            |user: &ChatId| after.is_none_or(|after| *user > after) && up_to.is_none_or(|last| *user <= last);
        let gone = self.members.keys().copied().filter(|user| covered(user) && !here.contains(user));
        let differing = members.iter().filter(|member| self.differs(member.chat_id, self.wanted(member)));
        let gone = gone.filter(|user| self.differs(*user, None));
        differing.map(|member| member.chat_id).chain(gone).collect()
    }
}

/// Whether only the role decides about a member: they are staff by it, and the guild still wants that.
pub async fn is_decided<C: ConnectionTrait>(conn: &C, member: Option<&Model>) -> Result<bool, DbErr> {
    let Some(member) = member.filter(|member| member.by_role) else { return Ok(false) };
    Ok(guild::find(conn, member.guild_id).await?.is_some_and(|guild| guild.staff_by_role))
}

/// Ends a membership with its open session, at the last heartbeat of that. `None`: they are not staff.
pub async fn end(work: &mut UnitOfWork, guild: GuildId, user: ChatId) -> Result<Option<Model>, DbErr> {
    let Some(removed) = staff_member::delete(work.tx(), guild, user).await? else { return Ok(None) };
    let session = staff_session::end_open(work.tx(), guild, user).await?;
    work.announce([Event::StaffChanged { guild }]);
    work.announce(session.map(|session| Event::SessionEnded { guild, session: session.session_id }));
    Ok(Some(removed))
}

pub async fn enqueue(
    work: &mut UnitOfWork,
    guild: GuildId,
    users: impl IntoIterator<Item = ChatId>,
) -> Result<(), QueueError> {
    let job = |user| (user, StaffByRole { guild, user });
    one_waiting::enqueue(work, guild, users.into_iter().map(job).collect()).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(id: i64) -> RoleId {
        id.try_into().unwrap()
    }

    fn user(id: i64) -> ChatId {
        id.try_into().unwrap()
    }

    fn member(id: i64, roles: &[i64]) -> ChatMember {
        ChatMember {
            chat_id: user(id),
            username: String::new(),
            nick: None,
            roles: roles.iter().copied().map(role).collect(),
            is_bot: false,
            joined_at: None,
            is_pending: false,
        }
    }

    fn staff(members: &[(i64, i64, bool)]) -> Staff {
        let row = |&(id, held, by_role): &(i64, i64, bool)| {
            let (guild_id, joined_at) = (9.try_into().unwrap(), chrono::DateTime::UNIX_EPOCH);
            (user(id), Model { guild_id, chat_id: user(id), role_id: role(held), joined_at, by_role })
        };
        Staff { roles: vec![role(30), role(20)], members: members.iter().map(row).collect() }
    }

    #[test]
    fn of_several_roles_the_one_that_permits_most_counts_and_bots_are_no_staff() {
        let staff = staff(&[]);
        assert_eq!(staff.wanted(&member(1, &[20, 30, 5])), Some(role(30)));
        assert_eq!(staff.wanted(&member(1, &[5])), None);
        assert_eq!(staff.wanted(&ChatMember { is_bot: true, ..member(1, &[30]) }), None);
    }

    #[test]
    fn who_holds_another_role_none_or_left_is_noticed_and_who_was_added_by_hand_stays() {
        let staff = staff(&[
            (1, 20, true),
            (2, 20, false),
            (3, 20, true),
            (4, 20, false),
            (5, 20, true),
            (9, 20, true),
        ]);
        let page = [member(1, &[20]), member(2, &[]), member(3, &[30]), member(4, &[20]), member(6, &[20])];
        let differing = staff.differing(&page, (None, Some(user(8))));
        assert_eq!(differing, [3, 4, 6, 5].map(user), "5 left, 9 is on another page");
        assert_eq!(staff.differing(&[], (Some(user(8)), None)), [user(9)]);
    }
}
