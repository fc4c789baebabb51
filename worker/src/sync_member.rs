//! `sync_member`: brings one member's roles and nickname in line with the bindings (interface 4.3, decisions 5).
//!
//! At most one update of the member, none where nothing differs. A run that is cut after the update and started again
//! finds nothing left to do.

use async_trait::async_trait;
use entities::audit_entry::NewEntry;
use entities::{GuildId, link};
use platforms::{CallContext, ChatMember};
use queue::kinds::SyncMember;
use queue::run::{Handler, JobContext, JobError, Outcome};
use runtime::Event;
use serde_json::{Value, json};

use crate::Services;
use crate::apply::{Applied, apply};
use crate::errors::{job_error, not_a_member, not_linked, public};
use crate::names::{self, Renamed};
use crate::permitted::{Permitted, permitted};
use crate::wanted::{Change, GuildRules, Player};

pub(crate) struct Job(pub(crate) Services);

#[async_trait]
impl Handler for Job {
    type Payload = SyncMember;

    async fn run(
        &self,
        job: &JobContext,
        SyncMember { guild, user }: SyncMember,
    ) -> Result<Outcome, JobError> {
        let (chat, play) = (self.0.platforms.chat.as_ref(), self.0.platforms.play.as_ref());
        let read = job.database().read();
        let link = link::find_by_chat(read, guild, user).await?.ok_or_else(not_linked)?;
        let rules = GuildRules::load(read, guild).await?;
        let (call, groups, players) = (CallContext::interactive(guild), rules.groups(), [link.play_id]);
        let (member, ranks, renamed) = tokio::join!(
            chat.member(call, user),
            play.group_ranks(call, &players, &groups),
            names::renamed(play, call, &link),
        );
        let member = member.map_err(job_error)?.ok_or_else(not_a_member)?;
        let ranks = ranks.map_err(job_error)?;
        self.store_name(job, guild, renamed.as_ref()).await?;
        let name = renamed.as_ref().map_or(link.play_username.as_str(), |renamed| renamed.name.as_str());
        let change = rules.change(&member, Player { id: link.play_id, name }, &ranks);
        let permitted = self.permitted(call, &member, change).await?;
        job.check_cancelled()?;
        let applied = apply(chat, call, user, (&member.roles, &permitted.change)).await.map_err(job_error)?;
        let sync = Sync { guild, member, permitted, applied };
        Ok(Outcome::Done { result: sync.result(), audit: sync.audit_entry().into_iter().collect() })
    }
}

impl Job {
    async fn store_name(
        &self,
        job: &JobContext,
        guild: GuildId,
        renamed: Option<&Renamed>,
    ) -> Result<(), JobError> {
        let Some(renamed) = renamed else { return Ok(()) };
        names::store(job.database().write(), guild, std::slice::from_ref(renamed)).await?;
        self.0.events.publish(Event::LinksChanged { guild });
        Ok(())
    }

    /// Asks what the bot may do only where there is something to do.
    async fn permitted(
        &self,
        call: CallContext,
        member: &ChatMember,
        change: Change,
    ) -> Result<Permitted, JobError> {
        if change.is_empty() {
            return Ok(Permitted::default());
        }
        let overview = self.0.platforms.chat.guild_overview(call).await.map_err(job_error)?;
        Ok(permitted(&overview, &member.roles, change))
    }
}

/// A sync that went through.
struct Sync {
    guild: GuildId,
    /// As it was before.
    member: ChatMember,
    permitted: Permitted,
    applied: Applied,
}

impl Sync {
    fn nickname_updated(&self) -> bool {
        self.permitted.change.nick.is_some() && self.applied.nickname_refused.is_none()
    }

    fn result(&self) -> Value {
        let mut result = json!({
            "added_roles": self.permitted.change.add,
            "removed_roles": self.permitted.change.remove,
            "nickname_updated": self.nickname_updated(),
            "failed_roles": self.permitted.failed_roles,
        });
        let refused = self.applied.nickname_refused.as_ref().map(|error| public(error).message);
        if let Some(reason) = refused.or_else(|| self.permitted.nickname_refused.map(str::to_owned)) {
            result["nickname_error"] = json!(reason);
        }
        result
    }

    /// `None` where nothing changed.
    fn audit_entry(&self) -> Option<NewEntry> {
        let change = &self.permitted.change;
        if !change.changes_roles() && !self.nickname_updated() {
            return None;
        }
        let before = &self.member;
        let nickname = if self.nickname_updated() { change.nick.as_ref() } else { before.nick.as_ref() };
        Some(NewEntry {
            guild: self.guild,
            action: "sync.member",
            target: before.chat_id.to_string(),
            metadata: json!({
                "before": { "roles": before.roles, "nickname": before.nick },
                "after": { "roles": change.roles_after(&before.roles), "nickname": nickname },
            }),
        })
    }
}
