//! `follow_ban`: takes over what others did on the chat platform: a ban of one user there, or its lift (docs/rules.md 4).
//!
//! It looks whether the user is banned there, not at what the event said, and looks again after each change of its own: so
//! events in another order, or twice, lead to the same. What is in force is read before each look: only bans that the
//! platform had by then can have been lifted there.
//!
//! A ban that is taken over gets the row of a mirror's ban ([`chat_ban`]), so its end here is its end there. Such a row also
//! tells the bans that Guildhall made, which are nothing to take over: no change goes in a circle.

use entities::audit_entry::Actor;
use entities::sanction::change::Target;
use entities::sanction::{self, MirrorState, active, mirror};
use entities::{ChatId, GuildId, Person, SanctionKind, Subject, chat_ban, guild, moderation_revision};
use jobs::kinds::FollowBan;
use jobs::moderation::{Done, LiveServers, Order, Wanted, execute};
use platforms::{BanDeed, CallContext, ChatBan, PlatformError, Platforms};
use queue::run::{Handler, JobContext, JobError, Outcome};
use serde_json::json;

use crate::errors::{queue_error, until_resolved};
use crate::mirror_ban::maker;

pub(crate) struct Job(pub(crate) Platforms);

impl Handler for Job {
    type Payload = FollowBan;

    async fn run(&self, job: &JobContext, args: FollowBan) -> Result<Outcome, JobError> {
        let run = Run { platforms: &self.0, job, guild: args.guild, user: args.user };
        let mut changes: u64 = job.last_checkpoint().unwrap_or_default();
        while run.take_over(changes + 1).await? {
            changes += 1;
        }
        Ok(Outcome::done(json!({ "changes": changes })))
    }
}

struct Run<'a> {
    platforms: &'a Platforms,
    job: &'a JobContext,
    guild: GuildId,
    user: ChatId,
}

impl Run<'_> {
    /// Whether there was anything to take over.
    async fn take_over(&self, checkpoint: u64) -> Result<bool, JobError> {
        let conn = self.job.database().write();
        if !guild::find(conn, self.guild).await?.is_some_and(|guild| guild.follow_bans) {
            return Ok(false);
        }
        let person = Person::resolve(conn, self.guild, Subject::Chat(self.user)).await?;
        let in_force = active::covering(conn, self.guild, target(person), self.job.now()).await?;
        let rows = chat_ban::of_user(conn, self.guild, self.user).await?;
        let chat = self.platforms.chat.as_ref();
        match chat.find_ban(self.call(), self.user).await.map_err(until_resolved)? {
            Some(ban) if in_force.is_empty() && maker(&ban, &rows).is_none() => {
                self.ban(person, ban, checkpoint).await
            }
            Some(_) => Ok(false),
            None => {
                let there = in_force.into_iter().filter(|ban| self.was_there(ban));
                self.lift(person, there.collect(), checkpoint).await
            }
        }
    }

    /// Whether the platform had this ban.
    fn was_there(&self, ban: &sanction::Model) -> bool {
        let there = matches!(ban.mirror_state, MirrorState::Done | MirrorState::AlreadyBanned);
        there && ban.mirror_chat_id == Some(self.user)
    }

    async fn ban(&self, person: Person, ban: ChatBan, checkpoint: u64) -> Result<bool, JobError> {
        let reason = ban.reason.unwrap_or_default();
        let text = if reason.trim().is_empty() { "Banned on Discord" } else { reason.trim() };
        let wanted = Wanted::Imposed { place: None, reason: text.to_owned(), expires_at: None, kick: true };
        let orders = self.orders(person, BanDeed::Ban, [wanted]).await?;
        let servers = LiveServers::read(self.job.database().read(), self.guild, self.job.now()).await?;
        let mut work = self.job.begin().await?;
        let mut change = moderation_revision::begin(work.tx(), self.guild, work.now()).await?;
        // Somebody may have banned them here since.
        if !active::covering(work.tx(), self.guild, target(person), work.now()).await?.is_empty() {
            work.rollback().await?;
            return Ok(false);
        }
        for done in execute(&mut work, &mut change, &servers, &orders).await.map_err(queue_error)? {
            let Done::Imposed { sanction, .. } = done else { continue };
            mirror::stands(work.tx(), &sanction, self.user).await?;
        }
        let (guild_id, chat_id, job_id) = (self.guild, self.user, self.job.id());
        chat_ban::put(work.tx(), chat_ban::Model { guild_id, chat_id, job_id, reason, made: true }).await?;
        self.job.checkpoint(work, &checkpoint).await?;
        Ok(true)
    }

    async fn lift(
        &self,
        person: Person,
        bans: Vec<sanction::Model>,
        checkpoint: u64,
    ) -> Result<bool, JobError> {
        if bans.is_empty() {
            return Ok(false);
        }
        let wanted = |ban: &sanction::Model| Wanted::Lifted {
            place: None,
            only: Some(ban.sanction_id),
            reason: Some("Lifted on Discord".to_owned()),
        };
        let orders = self.orders(person, BanDeed::Lift, bans.iter().map(wanted)).await?;
        let mut work = self.job.begin().await?;
        let mut change = moderation_revision::begin(work.tx(), self.guild, work.now()).await?;
        let done =
            execute(&mut work, &mut change, &LiveServers::default(), &orders).await.map_err(queue_error)?;
        if !done.iter().any(Done::changed) {
            work.rollback().await?;
            return Ok(false);
        }
        self.job.checkpoint(work, &checkpoint).await?;
        Ok(true)
    }

    /// Of the person who did it there.
    async fn orders(
        &self,
        person: Person,
        deed: BanDeed,
        wanted: impl IntoIterator<Item = Wanted>,
    ) -> Result<Vec<Order>, JobError> {
        let moderator = self.doer(deed).await?.unwrap_or(ChatId::SYSTEM);
        let order = |wanted| Order {
            kind: SanctionKind::Ban,
            subject: Subject::Chat(self.user),
            person,
            moderator,
            sender: Actor::service(),
            done_on_chat: true,
            imported: None,
            wanted,
        };
        Ok(wanted.into_iter().map(order).collect())
    }

    /// Who did it last, by the guild's audit log on the platform; `None`: the bot may not read that, or the log has no such
    /// entry.
    async fn doer(&self, deed: BanDeed) -> Result<Option<ChatId>, JobError> {
        match self.platforms.chat.last_doer(self.call(), deed, self.user).await {
            Err(PlatformError::Forbidden { .. }) => Ok(None),
            read => read.map_err(until_resolved),
        }
    }

    fn call(&self) -> CallContext {
        CallContext::interactive(self.guild)
    }
}

/// In every game.
fn target(person: Person) -> Target {
    Target { kind: SanctionKind::Ban, person, place: None }
}
