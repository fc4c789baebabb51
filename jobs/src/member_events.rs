//! What follows when the chat platform shows a member who joined, or whom somebody changed (docs/rules.md 5).
//!
//! Used by `gateway/` with the events as they come, and by `worker/src/catch_up.rs` with those that were missed. The runs are
//! `worker/src/sync_member.rs` and `worker/src/greet_member.rs`.

use std::collections::{BTreeMap, BTreeSet};

use chrono::TimeDelta;
use entities::audit_entry::Actor;
use entities::guild::JoinNotice;
use entities::synced_member::States;
use entities::{ChatId, GuildId, Timestamp, follow, guild, link, screened_member, synced_member};
use platforms::{ChatMember, Watched};
use queue::{Draft, QueueError, enqueue_many};
use runtime::UnitOfWork;
use sea_orm::DbErr;

use crate::kinds::{FollowBan, GreetMember, SyncCause, SyncMember};
use crate::staff_by_role::{self, Staff};
use crate::{one_waiting, sync_rules};

/// The platform may say again that a member joined who has been there: whoever joined longer ago is not greeted, unless they
/// were screened until now.
const JUST_NOW: TimeDelta = TimeDelta::hours(1);

/// Some members of a guild, as they are known here, and what follows from what the platform shows of them, which [`write`]
/// writes in a few statements however many they are: nobody else writes to a SQLite file meanwhile.
///
/// [`write`]: Self::write
pub struct Members {
    pub watched: Watched,
    now: Timestamp,
    guild: guild::Model,
    unlinked_have_roles: bool,
    linked: BTreeSet<ChatId>,
    states: BTreeMap<ChatId, States>,
    screened: BTreeSet<ChatId>,
    /// The guild follows, and waits for no person: what others change is repaired.
    repairs: bool,
    /// Where roles make staff.
    staff: Option<Staff>,
    follows: Follows,
}

#[derive(Default)]
struct Follows {
    syncs: Vec<(ChatId, SyncCause)>,
    greetings: Vec<GreetMember>,
    looks_at_staff: Vec<ChatId>,
    bans: Vec<ChatId>,
    /// When members joined who are to be screened.
    screened: BTreeMap<ChatId, Timestamp>,
    no_longer_screened: BTreeSet<ChatId>,
    forgotten: Vec<ChatId>,
}

impl Members {
    pub async fn load(work: &UnitOfWork, guild: guild::Model, users: &[ChatId]) -> Result<Self, DbErr> {
        let (conn, id) = (work.tx(), guild.guild_id);
        let rules = sync_rules::of(conn, &guild).await?;
        let links = link::find_by_chats(conn, id, users).await?;
        let states = synced_member::find_many(conn, id, users).await?;
        let following = follow::read(conn, id, work.now()).await?;
        Ok(Self {
            repairs: following.goes_on(),
            watched: rules.watched(),
            unlinked_have_roles: !rules.unlinked_roles().is_empty(),
            linked: links.into_iter().map(|link| link.chat_id).collect(),
            states: states.into_iter().map(|row| (row.chat_id, row.states)).collect(),
            staff: Staff::load(conn, &guild).await?,
            screened: screened_member::among(conn, id, users).await?.into_iter().collect(),
            now: work.now(),
            follows: Follows::default(),
            guild,
        })
    }

    /// A member who joined.
    pub fn joined(&mut self, member: &ChatMember) {
        let (user, joined_at) = (member.chat_id, member.joined_at.unwrap_or(self.now));
        if member.is_pending {
            self.follows.screened.insert(user, joined_at);
            self.screened.insert(user);
        } else {
            let is_new = self.is_screened_no_longer(user) || joined_at >= self.now - JUST_NOW;
            self.welcome(member, is_new);
        }
    }

    /// A member whose roles, nickname or screening changed.
    pub fn changed(&mut self, member: &ChatMember) {
        if !member.is_pending {
            self.look_at_staff(member.chat_id, Some(member));
            self.changed_otherwise(member);
        }
    }

    fn changed_otherwise(&mut self, member: &ChatMember) {
        if self.is_screened_no_longer(member.chat_id) {
            self.welcome(member, true);
        } else if self.repairs
            && self.linked.contains(&member.chat_id)
            && !self.watched.is_empty()
            && !self.is_explained(member)
        {
            self.follows.syncs.push((member.chat_id, SyncCause::Changed));
        }
    }

    /// Whoever differs from the staff roles that they hold now.
    fn look_at_staff(&mut self, user: ChatId, member: Option<&ChatMember>) {
        let wanted = |staff: &Staff| member.and_then(|member| staff.wanted(member));
        if self.staff.as_ref().is_some_and(|staff| staff.differs(user, wanted(staff))) {
            self.follows.looks_at_staff.push(user);
        }
    }

    /// A member who was changed while nobody looked: one whom no sync has seen is no news.
    pub fn missed(&mut self, member: &ChatMember) {
        let was_seen = self.states.get(&member.chat_id).is_some_and(|states| states.end.is_some());
        if !member.is_pending && (was_seen || self.screened.contains(&member.chat_id)) {
            self.changed_otherwise(member);
        }
    }

    /// Whoever of a page differs from the staff roles that they hold. `covered`: after whom and up to whom it has all members.
    pub fn look_at_staff_of(&mut self, page: &[ChatMember], covered: (Option<ChatId>, Option<ChatId>)) {
        let differing = self.staff.as_ref().map(|staff| staff.differing(page, covered));
        self.follows.looks_at_staff.extend(differing.into_iter().flatten());
    }

    /// A user who was banned, or no longer is.
    pub fn banned(&mut self, user: ChatId) {
        if self.guild.follow_bans {
            self.follows.bans.push(user);
        }
    }

    pub fn left(&mut self, user: ChatId) {
        self.look_at_staff(user, None);
        self.is_screened_no_longer(user);
        if self.states.remove(&user).is_some() {
            self.follows.forgotten.push(user);
        }
    }

    /// False: the member was not screened.
    fn is_screened_no_longer(&mut self, user: ChatId) -> bool {
        let was_screened = self.screened.remove(&user);
        if was_screened {
            self.follows.screened.remove(&user);
            self.follows.no_longer_screened.insert(user);
        }
        was_screened
    }

    /// Whether a sync left the member like this.
    fn is_explained(&self, member: &ChatMember) -> bool {
        let state = self.watched.state(&member.roles, member.nick.as_deref());
        self.states.get(&member.chat_id).is_some_and(|states| states.explain(state, self.now))
    }

    /// `is_new`: not greeted yet.
    fn welcome(&mut self, member: &ChatMember, is_new: bool) {
        let (guild, user) = (self.guild.guild_id, member.chat_id);
        if self.linked.contains(&user) {
            return self.follows.syncs.push((user, SyncCause::Joined));
        }
        let joined_at = member.joined_at.unwrap_or(self.now);
        let gets_something = self.unlinked_have_roles || self.guild.join_notice != JoinNotice::None;
        if gets_something && is_new {
            self.follows.greetings.push(GreetMember { guild, user, joined_at });
        }
    }

    /// Notes what is to be remembered of the members, and enqueues the jobs.
    pub async fn write(self, work: &mut UnitOfWork) -> Result<(), QueueError> {
        let (guild, follows) = (self.guild.guild_id, self.follows);
        let gone: Vec<ChatId> = follows.no_longer_screened.into_iter().collect();
        screened_member::remove(work.tx(), guild, &gone).await?;
        let row = |(chat_id, joined_at)| screened_member::Model { guild_id: guild, chat_id, joined_at };
        screened_member::add(work.tx(), follows.screened.into_iter().map(row).collect()).await?;
        synced_member::forget(work.tx(), guild, &follows.forgotten).await?;
        staff_by_role::enqueue(work, guild, follows.looks_at_staff).await?;
        let sync = |(user, cause)| (user, SyncMember { guild, user, cause: Some(cause) });
        one_waiting::enqueue(work, guild, follows.syncs.into_iter().map(sync).collect()).await?;
        greet(work, follows.greetings).await?;
        follow_bans(work, guild, follows.bans).await
    }
}

async fn greet(work: &mut UnitOfWork, greetings: Vec<GreetMember>) -> Result<(), QueueError> {
    let draft = |greeting: GreetMember| {
        let draft = Draft::new(greeting.guild, &greeting, Actor::service())?;
        Ok(draft.once(&greeting.user.to_string()))
    };
    let drafts = greetings.into_iter().map(draft).collect::<Result<_, QueueError>>()?;
    Ok(enqueue_many(work, drafts).await?)
}

/// Takes over bans, or their lifts, that somebody made on the chat platform. Not deduplicated: a running job may have looked there
/// already.
pub async fn follow_bans(
    work: &mut UnitOfWork,
    guild: GuildId,
    users: impl IntoIterator<Item = ChatId>,
) -> Result<(), QueueError> {
    let draft = |user| Draft::new(guild, &FollowBan { guild, user }, Actor::service());
    let drafts = users.into_iter().map(draft).collect::<Result<_, _>>()?;
    Ok(enqueue_many(work, drafts).await?)
}

/// Since when members are looked for who joined while no events came: the clocks of the platform and of this service differ, and
/// a connection may be dead for a while before that is noticed.
pub fn missed_since(seen_at: Timestamp) -> Timestamp {
    seen_at - TimeDelta::minutes(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(id: i64, joined_at: Timestamp, is_pending: bool) -> ChatMember {
        ChatMember {
            chat_id: id.try_into().unwrap(),
            username: String::new(),
            nick: None,
            roles: Vec::new(),
            is_bot: false,
            joined_at: Some(joined_at),
            is_pending,
        }
    }

    fn members(screened: &[i64]) -> Members {
        let now = Timestamp::UNIX_EPOCH + TimeDelta::days(1);
        let guild = guild::Model::new(9.try_into().unwrap(), "Guild".to_owned(), now);
        Members {
            watched: Watched::default(),
            now,
            guild: guild::Model { join_notice: JoinNotice::DirectMessage, ..guild },
            unlinked_have_roles: false,
            linked: BTreeSet::new(),
            states: BTreeMap::new(),
            screened: screened.iter().map(|id| ChatId::try_from(*id).unwrap()).collect(),
            repairs: false,
            staff: None,
            follows: Follows::default(),
        }
    }

    #[test]
    fn whoever_was_screened_is_greeted_once_however_long_that_took() {
        let mut members = members(&[2, 3]);
        let (now, long_ago) = (members.now, members.now - JUST_NOW * 2);
        members.joined(&member(1, long_ago, false));
        for _ in 0..2 {
            members.changed(&member(2, long_ago, false));
            members.joined(&member(3, long_ago, false));
        }
        members.joined(&member(4, now, false));
        members.joined(&member(5, now, true));
        let greeted: Vec<i64> =
            members.follows.greetings.iter().map(|greeting| greeting.user.get()).collect();
        assert_eq!(greeted, [2, 3, 4]);
    }
}
