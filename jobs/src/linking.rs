//! Links between chat and game accounts: how one is made, moved and ended, with the audit entries, the event and the jobs
//! that follow from it (docs/rules.md 11).
//!
//! Used by `api/src/endpoints/guilds/links/` and `cli/src/commands/links/`. Many links at once are `link_import.rs` beside it, read by `bot_export.rs`. The runs are `worker/src/sync_member.rs`, which gives roles
//! and nickname, and `worker/src/unlink_member.rs`, which takes them away. The rows are `entities/src/link.rs`, their history is read by
//! `entities/src/link_history.rs`.

mod ended;

use chrono::SecondsFormat;
use entities::audit_entry::{Actor, NewEntry};
use entities::link::{self, Model, Source};
use entities::sanction::change;
use entities::{ChatId, GuildId, JobId, Person, PlayId, Timestamp, moderation_revision};
use queue::{Draft, QueueError, enqueue_many};
use runtime::{Event, Transaction, UnitOfWork};
use sea_orm::{ConnectionTrait, DbErr};
use serde_json::{Value, json};

use crate::Operator;
use crate::kinds::{SyncMember, UnlinkMember};
use ended::Given;
pub use ended::correct;

/// Who makes a change: the actor of its audit entries and jobs.
#[derive(Debug, Clone)]
pub struct Author {
    pub actor: Actor,
    /// Of a command: who ran it.
    by: Option<Operator>,
}

impl From<Actor> for Author {
    fn from(actor: Actor) -> Self {
        Self { actor, by: None }
    }
}

impl From<Operator> for Author {
    fn from(operator: Operator) -> Self {
        Self { actor: operator.actor.clone(), by: Some(operator) }
    }
}

impl Author {
    pub(crate) fn signed(&self, entry: NewEntry) -> NewEntry {
        match &self.by {
            Some(operator) => operator.signed(entry),
            None => entry,
        }
    }
}

/// A link to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLink {
    pub chat: ChatId,
    pub play: PlayId,
    pub name: String,
    pub source: Source,
}

/// The links that a new one ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The chat account's link to another game account.
    pub of_chat: Option<Model>,
    /// The game account's link to another chat account.
    pub of_play: Option<Model>,
}

/// A link that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    pub link: Model,
    pub ended: Replaced,
    /// The sync of the member; `None`: the link was like that already.
    pub sync: Option<JobId>,
}

/// A change of a guild's links. It waits for other changes of them, so what it reads stays true until its end.
pub struct Linking<'w> {
    work: &'w mut UnitOfWork,
    revision: moderation_revision::Change,
    author: Author,
    erases: bool,
}

impl<'w> Linking<'w> {
    /// Call it first in the transaction.
    pub async fn begin(
        work: &'w mut UnitOfWork,
        guild: GuildId,
        author: impl Into<Author>,
    ) -> Result<Self, DbErr> {
        let revision = moderation_revision::begin(work.tx(), guild, work.now()).await?;
        Ok(Self { work, revision, author: author.into(), erases: false })
    }

    /// Ends links because an account is erased.
    pub(crate) fn erasing(self) -> Self {
        Self { erases: true, ..self }
    }

    pub fn tx(&self) -> &Transaction {
        self.work.tx()
    }

    pub(crate) fn guild(&self) -> GuildId {
        self.revision.guild
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.work.now()
    }

    pub(crate) fn announce(&mut self, event: Event) {
        self.work.announce([event]);
    }

    /// Makes the link, in place of others of either account: who does not want that drops the transaction.
    pub async fn link(&mut self, new: NewLink) -> Result<Linked, QueueError> {
        let NewLink { chat, play, name, source } = new;
        let guild = self.guild();
        let of_chat = link::find_by_chat(self.work.tx(), guild, chat).await?;
        if let Some(link) = of_chat.as_ref().filter(|link| link.play_id == play && link.play_username == name)
        {
            let ended = Replaced { of_chat: None, of_play: None };
            return Ok(Linked { link: link.clone(), ended, sync: None });
        }
        let of_play = link::find_by_play(self.work.tx(), guild, play).await?;
        let ended = Replaced {
            of_chat: of_chat.filter(|link| link.play_id != play),
            of_play: of_play.filter(|link| link.chat_id != chat),
        };
        let link = Model {
            guild_id: guild,
            chat_id: chat,
            play_id: play,
            play_username: name,
            verified_at: self.work.now(),
            source,
        };
        if let Some(theirs) = &ended.of_play {
            self.moved(&[(theirs, chat)]).await?;
        }
        let people: Vec<_> = ended.of_chat.iter().chain([&link]).map(Person::from).collect();
        change::relink(self.work.tx(), &self.revision, &people).await?;
        link::upsert_many(self.work.tx(), vec![link.clone()]).await?;
        match &ended.of_chat {
            Some(mine) => {
                let changes = json!({ "before": described(mine), "after": described(&link) });
                self.audit("links.replace", chat, changes);
            }
            None => self.audit("links.add", chat, json!({ "after": described(&link) })),
        }
        self.work.announce([Event::LinksChanged { guild }]);
        let sync = self.enqueue_sync(chat).await?;
        Ok(Linked { link, ended, sync: Some(sync) })
    }

    /// Exchanges the game accounts of two members. Neither is unlinked in between, so no job takes anything away: each is
    /// returned with the sync that gives what the new link brings.
    pub async fn swap(
        &mut self,
        before: [&Model; 2],
        source: Source,
    ) -> Result<Vec<(Model, JobId)>, QueueError> {
        let (guild, now) = (self.guild(), self.work.now());
        let given = |to: &Model, from: &Model| Model {
            chat_id: to.chat_id,
            verified_at: now,
            source,
            ..from.clone()
        };
        let [one, other] = before;
        let after = [given(one, other), given(other, one)];
        let people: Vec<_> = before.into_iter().chain(&after).map(Person::from).collect();
        change::relink(self.work.tx(), &self.revision, &people).await?;
        // A game account is in one link at a time.
        link::delete(self.work.tx(), guild, &before.map(|link| link.chat_id)).await?;
        link::upsert_many(self.work.tx(), after.to_vec()).await?;
        self.work.announce([Event::LinksChanged { guild }]);
        let mut swapped = Vec::new();
        for (before, after) in before.into_iter().zip(after) {
            let user = after.chat_id;
            self.audit(
                "links.swap",
                user,
                json!({ "before": described(before), "after": described(&after) }),
            );
            swapped.push((after, self.enqueue_sync(user).await?));
        }
        Ok(swapped)
    }

    /// Ends a link. The job takes away the roles and the nickname that came from it.
    pub async fn unlink(&mut self, before: &Model) -> Result<JobId, QueueError> {
        let mut jobs = self.unlink_many(std::slice::from_ref(before)).await?;
        jobs.pop().ok_or_else(|| DbErr::RecordNotInserted.into())
    }

    /// Ends a link that was read before this change began, unless another one is in its place by then.
    pub async fn unlink_found(&mut self, found: &Model) -> Result<Option<JobId>, QueueError> {
        let link = link::find_by_chat(self.work.tx(), self.guild(), found.chat_id).await?;
        match link.filter(|link| (link.play_id, link.source) == (found.play_id, found.source)) {
            Some(link) => self.unlink(&link).await.map(Some),
            None => Ok(None),
        }
    }

    /// Ends links, each with a job like that of [`unlink`](Self::unlink).
    pub async fn unlink_many(&mut self, links: &[Model]) -> Result<Vec<JobId>, QueueError> {
        self.end(links.iter().map(|before| (before, json!({ "before": described(before) }))).collect()).await
    }

    /// Ends links because their game accounts move to other chat users.
    pub(crate) async fn moved(&mut self, links: &[(&Model, ChatId)]) -> Result<Vec<JobId>, QueueError> {
        let metadata =
            |(before, to): &(&Model, ChatId)| json!({ "before": described(before), "moved_to": to });
        self.end(links.iter().map(|moved| (moved.0, metadata(moved))).collect()).await
    }

    async fn end(&mut self, links: Vec<(&Model, Value)>) -> Result<Vec<JobId>, QueueError> {
        if links.is_empty() {
            return Ok(Vec::new());
        }
        let guild = self.guild();
        let people: Vec<Person> = links.iter().map(|(before, _)| Person::from(*before)).collect();
        change::relink(self.work.tx(), &self.revision, &people).await?;
        let users: Vec<ChatId> = links.iter().map(|(before, _)| before.chat_id).collect();
        link::delete(self.work.tx(), guild, &users).await?;
        self.work.announce([Event::LinksChanged { guild }]);
        let given = Given::read(self.work.tx(), guild).await?;
        let mut drafts = Vec::with_capacity(links.len());
        for (before, metadata) in links {
            self.audit("links.remove", before.chat_id, metadata);
            let by = given.by(before.chat_id, before.play_id, &before.play_username);
            let payload = UnlinkMember { erased: self.erases, ..by };
            drafts.push(Draft::new(guild, &payload, self.author.actor.clone())?);
        }
        let jobs = drafts.iter().map(Draft::id).collect();
        enqueue_many(self.work, drafts).await?;
        Ok(jobs)
    }

    /// Enqueues the sync of a member whose link is new. It does not join another one, which may run and have read the old
    /// link.
    async fn enqueue_sync(&mut self, user: ChatId) -> Result<JobId, QueueError> {
        let payload = SyncMember::of(self.guild(), user);
        let draft = Draft::new(self.guild(), &payload, self.author.actor.clone())?;
        Ok(draft.enqueue(self.work).await?.job)
    }

    pub(crate) fn audit(&mut self, action: &'static str, target: impl ToString, metadata: Value) {
        let entry = NewEntry { guild: self.guild(), action, target: target.to_string(), metadata };
        self.work.audit(self.author.actor.clone(), self.author.signed(entry));
    }
}

/// A link as audit entries have it; `entities::link_history` reads it.
pub fn described(link: &Model) -> Value {
    json!({
        "play_id": link.play_id,
        "play_username": link.play_username,
        "verified_at": link.verified_at.to_rfc3339_opts(SecondsFormat::Secs, true),
        "source": link.source,
    })
}

/// Call it before or after many links change, with both accounts of the old and the new ones: their open bans and
/// mutes are listed under another game id from then on, or belong to another person. The new revision tells
/// caches of the active lists.
pub(crate) async fn relink_moderation<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    accounts: &[Person],
    now: Timestamp,
) -> Result<(), DbErr> {
    if accounts.is_empty() {
        return Ok(());
    }
    let begun = moderation_revision::begin(conn, guild, now).await?;
    change::relink(conn, &begun, accounts).await?;
    Ok(())
}
