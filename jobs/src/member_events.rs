//! What follows when the chat platform shows a member who joined, or whom somebody changed (docs/rules.md 5).
//!
//! Used by `gateway/` with the events as they come, and by `worker/src/catch_up.rs` with those that were missed. The runs are
//! `worker/src/sync_member.rs` and `worker/src/greet_member.rs`.

use std::collections::{BTreeMap, BTreeSet};

use chrono::TimeDelta;
use entities::audit_entry::Actor;
use entities::guild::JoinNotice;
use entities::job::Class;
use entities::synced_member::States;
use entities::{ChatId, GuildId, Timestamp, follow, guild, link, screened_member, synced_member};
use platforms::{ChatMember, Managed};
use queue::{Draft, QueueError};
use runtime::UnitOfWork;
use sea_orm::DbErr;

use crate::kinds::{FollowBan, GreetMember, SyncCause, SyncMember};
use crate::staff_by_role::{self, Staff};
use crate::{one_waiting, sync_rules};

/// The platform may say again that a member joined who has been there: whoever joined longer ago is not greeted.
const JUST_NOW: TimeDelta = TimeDelta::hours(1);

/// Some members of a guild, as they are known here.
pub struct Members {
    pub managed: Managed,
    guild: guild::Model,
    unlinked_have_roles: bool,
    linked: BTreeSet<ChatId>,
    states: BTreeMap<ChatId, States>,
    screened: BTreeSet<ChatId>,
    /// The guild follows, and waits for no person: what others change is repaired.
    repairs: bool,
    /// Where roles make staff.
    staff: Option<Staff>,
}

impl Members {
    pub async fn load(work: &UnitOfWork, guild: guild::Model, users: &[ChatId]) -> Result<Self, DbErr> {
        let (conn, id) = (work.tx(), guild.guild_id);
        let rules = sync_rules::of(conn, &guild).await?;
        let links = link::find_by_chats(conn, id, users).await?;
        let states = synced_member::find_many(conn, id, users).await?;
        let following = follow::read(conn, id, work.now()).await?;
        Ok(Self {
            repairs: !following.is_off() && following.stopped.is_none(),
            managed: rules.managed(),
            unlinked_have_roles: !rules.unlinked_roles().is_empty(),
            linked: links.into_iter().map(|link| link.chat_id).collect(),
            states: states.into_iter().map(|row| (row.chat_id, row.states)).collect(),
            staff: Staff::load(conn, &guild).await?,
            screened: screened_member::among(conn, id, users).await?.into_iter().collect(),
            guild,
        })
    }

    /// A member who joined.
    pub async fn joined(&mut self, work: &mut UnitOfWork, member: &ChatMember) -> Result<(), QueueError> {
        if !member.is_pending {
            return self.welcome(work, member).await;
        }
        let (guild_id, chat_id) = (self.guild.guild_id, member.chat_id);
        let joined_at = member.joined_at.unwrap_or(work.now());
        screened_member::add(work.tx(), screened_member::Model { guild_id, chat_id, joined_at }).await?;
        self.screened.insert(chat_id);
        Ok(())
    }

    /// A member whose roles, nickname or screening changed.
    pub async fn changed(&mut self, work: &mut UnitOfWork, member: &ChatMember) -> Result<(), QueueError> {
        if member.is_pending {
            return Ok(());
        }
        self.look_at_staff(work, member.chat_id, Some(member)).await?;
        self.changed_otherwise(work, member).await
    }

    async fn changed_otherwise(
        &mut self,
        work: &mut UnitOfWork,
        member: &ChatMember,
    ) -> Result<(), QueueError> {
        if self.screened.remove(&member.chat_id) {
            screened_member::remove(work.tx(), self.guild.guild_id, member.chat_id).await?;
            return self.welcome(work, member).await;
        }
        if self.repairs
            && self.linked.contains(&member.chat_id)
            && !self.managed.is_empty()
            && !self.is_explained(work, member)
        {
            enqueue_sync(work, self.guild.guild_id, member.chat_id, SyncCause::Changed).await?;
        }
        Ok(())
    }

    /// Whoever differs from the staff roles that they hold now.
    async fn look_at_staff(
        &self,
        work: &mut UnitOfWork,
        user: ChatId,
        member: Option<&ChatMember>,
    ) -> Result<(), QueueError> {
        let wanted = |staff: &Staff| member.and_then(|member| staff.wanted(member));
        if self.staff.as_ref().is_some_and(|staff| staff.differs(user, wanted(staff))) {
            staff_by_role::enqueue(work, self.guild.guild_id, user).await?;
        }
        Ok(())
    }

    /// A member who was changed while nobody looked: one whom no sync has seen is no news.
    pub async fn missed(&mut self, work: &mut UnitOfWork, member: &ChatMember) -> Result<(), QueueError> {
        let was_seen = self.states.get(&member.chat_id).is_some_and(|states| states.end.is_some());
        if !member.is_pending && (was_seen || self.screened.contains(&member.chat_id)) {
            self.changed_otherwise(work, member).await?;
        }
        Ok(())
    }

    /// Whoever of a page differs from the staff roles that they hold. `covered`: after whom and up to whom it has all members.
    pub async fn look_at_staff_of(
        &self,
        work: &mut UnitOfWork,
        page: &[ChatMember],
        covered: (Option<ChatId>, Option<ChatId>),
    ) -> Result<(), QueueError> {
        let differing = self.staff.as_ref().map(|staff| staff.differing(page, covered));
        for user in differing.unwrap_or_default() {
            staff_by_role::enqueue(work, self.guild.guild_id, user).await?;
        }
        Ok(())
    }

    /// A user who was banned, or no longer is.
    pub async fn banned(&self, work: &mut UnitOfWork, user: ChatId) -> Result<(), QueueError> {
        if self.guild.follow_bans { follow_ban(work, self.guild.guild_id, user).await } else { Ok(()) }
    }

    pub async fn left(&mut self, work: &mut UnitOfWork, user: ChatId) -> Result<(), QueueError> {
        let guild = self.guild.guild_id;
        self.look_at_staff(work, user, None).await?;
        if self.screened.remove(&user) {
            screened_member::remove(work.tx(), guild, user).await?;
        }
        if self.states.remove(&user).is_some() {
            synced_member::forget(work.tx(), guild, user).await?;
        }
        Ok(())
    }

    /// Whether a sync left the member like this.
    fn is_explained(&self, work: &UnitOfWork, member: &ChatMember) -> bool {
        let state = self.managed.state(&member.roles, member.nick.as_deref());
        self.states.get(&member.chat_id).is_some_and(|states| states.explain(state, work.now()))
    }

    async fn welcome(&self, work: &mut UnitOfWork, member: &ChatMember) -> Result<(), QueueError> {
        let (guild, user) = (self.guild.guild_id, member.chat_id);
        if self.linked.contains(&user) {
            return enqueue_sync(work, guild, user, SyncCause::Joined).await;
        }
        let joined_at = member.joined_at.unwrap_or(work.now());
        let gets_something = self.unlinked_have_roles || self.guild.join_notice != JoinNotice::None;
        if !gets_something || joined_at < work.now() - JUST_NOW {
            return Ok(());
        }
        let draft = Draft::new(guild, &GreetMember { guild, user, joined_at }, Actor::service())?;
        let enqueued = draft.once(&format!("{user}")).enqueue(work.tx(), work.now()).await?;
        work.publish(enqueued.message);
        Ok(())
    }
}

/// Enqueues a sync of the member.
async fn enqueue_sync(
    work: &mut UnitOfWork,
    guild: GuildId,
    user: ChatId,
    cause: SyncCause,
) -> Result<(), QueueError> {
    // Who joins does not wait behind others.
    let class = if cause == SyncCause::Joined { Class::Interactive } else { Class::Default };
    let payload = SyncMember { guild, user, cause: Some(cause) };
    one_waiting::enqueue(work, (guild, user), &payload, class).await
}

/// Takes over a ban, or its lift, that somebody made on the chat platform. Not deduplicated: a running job may have looked there
/// already.
pub async fn follow_ban(work: &mut UnitOfWork, guild: GuildId, user: ChatId) -> Result<(), QueueError> {
    let draft = Draft::new(guild, &FollowBan { guild, user }, Actor::service())?;
    let enqueued = draft.enqueue(work.tx(), work.now()).await?;
    work.publish(enqueued.message);
    Ok(())
}

/// Since when members are looked for who joined while no events came: the clocks of the platform and of this service differ, and
/// a connection may be dead for a while before that is noticed.
pub fn missed_since(seen_at: Timestamp) -> Timestamp {
    seen_at - TimeDelta::minutes(3)
}
