//! `greet_member`: gives a member who joined without a link the guild's unverified role, and tells them how to link
//! (docs/rules.md 5).

use entities::guild::{self, JoinNotice};
use entities::{ChatId, GuildId, link};
use jobs::kinds::{GreetMember, SyncMember};
use jobs::sync_rules;
use platforms::{CallContext, Platforms};
use queue::Draft;
use queue::run::{Handler, JobContext, JobError, Outcome};
use serde_json::json;

use crate::errors::{job_error, unwritable};

pub(crate) struct Job(pub(crate) Platforms);

/// The reason in the guild's audit log on the chat platform.
const REASON: &str = "joined without a link";

impl Handler for Job {
    type Payload = GreetMember;

    async fn run(&self, job: &JobContext, args: GreetMember) -> Result<Outcome, JobError> {
        let GreetMember { guild, user, .. } = args;
        let read = job.database().read();
        let skipped = |why| Ok(Outcome::done(json!({ "skipped": why })));
        if link::find_by_chat(read, guild, user).await?.is_some() {
            return skipped("linked");
        }
        let Some(settings) = guild::find(read, guild).await? else { return skipped("guild") };
        let call = CallContext::interactive(guild);
        let chat = self.0.chat.as_ref();
        let Some(member) = chat.member(call, user).await.map_err(job_error)? else { return skipped("left") };
        let rules = sync_rules::of(read, &settings).await?;
        let missing = rules.unlinked_roles().into_iter();
        let missing: Vec<_> = missing.filter(|role| !member.roles.contains(role)).collect();
        if !missing.is_empty() {
            let overview = chat.guild_overview(call).await.map_err(job_error)?;
            // One that is out of reach is named to admins by syncs.
            for role in missing.iter().filter(|role| overview.grantable(**role, &rules.grants).is_ok()) {
                job.before_effect().await?;
                chat.add_role(call, user, *role, REASON).await.map_err(job_error)?;
            }
            if link::find_by_chat(read, guild, user).await?.is_some() {
                sync(job, guild, user).await?;
                return skipped("linked");
            }
        }
        let noticed = self.notice(job, call, &settings, &args).await?;
        Ok(Outcome::done(json!({ "role_ids": missing, "noticed": noticed })))
    }
}

/// The sync of a new link may have come before the roles of members without one.
async fn sync(job: &JobContext, guild: GuildId, user: ChatId) -> Result<(), JobError> {
    let mut work = job.begin_with_claim().await?;
    let draft = Draft::new(guild, &SyncMember::of(guild, user), job.actor()).map_err(unwritable)?;
    draft.enqueue(&mut work).await?;
    job.commit(work).await
}

impl Job {
    /// A run may not know whether an earlier one sent the notice: both name the time of joining, by which the platform posts
    /// it once.
    async fn notice(
        &self,
        job: &JobContext,
        call: CallContext,
        settings: &guild::Model,
        GreetMember { user, joined_at, .. }: &GreetMember,
    ) -> Result<bool, JobError> {
        let how = "To get your roles here, link your Roblox account: type /link";
        let nonce = format!("{:x}{:x}", user.get(), joined_at.timestamp_millis());
        let chat = self.0.chat.as_ref();
        match (settings.join_notice, settings.join_channel) {
            (JoinNotice::DirectMessage, _) => {
                let text = format!("Welcome to {}! {how} in the server.", settings.name);
                job.before_single_effect().await?;
                chat.direct_message(call, *user, &text, &nonce).await.map_err(job_error)?;
            }
            (JoinNotice::Channel, Some(channel)) => {
                let text = format!("Welcome, <@{user}>! {how}.");
                job.before_single_effect().await?;
                chat.notice(call, channel, *user, &text, &nonce).await.map_err(job_error)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
