//! `post_news`: posts the next message of a log channel (docs/rules.md 15).
//!
//! A run that was cut may have posted. What it took of the log is its checkpoint, so the next run posts the same, with the
//! same nonce, by which the platform posts it once.

mod embed;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use chrono::TimeDelta;
use entities::audit_chain::log;
use entities::audit_entry::{self, NewEntry};
use entities::log_channel::{self, Model, State};
use entities::{AuditId, Subject, link};
use jobs::log_channels::{ENTRIES_PER_PASS, Part, PostNews, next_part};
use people::audit::{Ids, Names};
use platforms::{CallContext, Embed, MAX_EMBEDS, Missing, PlatformError, Platforms};
use queue::run::{Handler, JobContext, JobError, Outcome, failure};
use serde_json::json;

use crate::errors::{until_resolved, wait_out};

/// From one message of a channel to its next.
const MESSAGE_INTERVAL: TimeDelta = TimeDelta::seconds(2);
/// A message waits no longer for the names of players without a link.
const NAMES_WITHIN: Duration = Duration::from_secs(5);

pub(crate) struct Job {
    pub(crate) platforms: Platforms,
    /// Where people's browsers find the console; `None`: entries have no links.
    pub(crate) public_url: Option<String>,
}

impl Handler for Job {
    type Payload = PostNews;

    async fn run(&self, job: &JobContext, args: PostNews) -> Result<Outcome, JobError> {
        let conn = job.database().write();
        let Some(channel) = log_channel::find(conn, args.guild, args.channel).await? else {
            return Err(JobError::Fail(failure(404, "not_found", "the log channel was removed")));
        };
        if channel.state != State::On {
            return Err(JobError::Fail(failure(409, "log_channel_off", "the log channel is off")));
        }
        let taken = job.last_checkpoint::<AuditId>();
        let entries = log::after(conn, channel.guild_id, channel.entry_id, ENTRIES_PER_PASS).await?;
        let part = next_part(&channel, entries, MAX_EMBEDS, taken);
        // Without a part an earlier run has noted that it posted.
        let Some(Part { news, through }) = part else { return Ok(posted(0)) };
        if !news.is_empty() {
            if taken.is_none() {
                job.checkpoint(job.begin().await?, &through.1).await?;
            }
            let embeds = self.embeds(job, &news).await?;
            let nonce = job.id().0.simple().to_string();
            job.before_single_effect().await?;
            let call = CallContext::bulk(args.guild);
            if let Err(error) = self.platforms.chat.post_embeds(call, args.channel, &embeds, &nonce).await {
                return Err(refused(job, &channel, through, error).await?);
            }
        }
        pass(job, &channel, through).await?;
        Ok(posted(news.len()))
    }
}

fn posted(news: usize) -> Outcome {
    Outcome::done(json!({ "posted": news }))
}

async fn pass(job: &JobContext, channel: &Model, through: (i64, AuditId)) -> Result<(), JobError> {
    let work = job.begin_with_claim().await?;
    log_channel::passed(work.tx(), channel, through, Some(work.now() + MESSAGE_INTERVAL)).await?;
    job.commit(work).await
}

/// A channel that is gone, or closed to the bot, is switched off. What is no fault of the channel is tried again; a message that
/// the platform does not take is left out, because it would be refused forever.
async fn refused(
    job: &JobContext,
    channel: &Model,
    through: (i64, AuditId),
    error: PlatformError,
) -> Result<JobError, JobError> {
    // Without a code it was not the platform that answered.
    let is_closed = matches!(error, PlatformError::Forbidden { code: 1.., .. })
        || error == PlatformError::NotFound(Missing::Channel);
    if is_closed {
        return switch_off(job, channel, &error).await;
    }
    let reaction = match error {
        PlatformError::Forbidden { .. } | PlatformError::NotFound(_) => {
            JobError::Retry(entities::job::Failure::from(&error))
        }
        error => wait_out(job, until_resolved(error)),
    };
    if matches!(reaction, JobError::Fail(_)) {
        pass(job, channel, through).await?;
    }
    Ok(reaction)
}

async fn switch_off(job: &JobContext, channel: &Model, error: &PlatformError) -> Result<JobError, JobError> {
    let mut work = job.begin_with_claim().await?;
    if log_channel::refuse(work.tx(), channel).await? {
        work.audit_own([NewEntry {
            guild: channel.guild_id,
            action: "log_channels.refused",
            target: channel.channel_id.to_string(),
            metadata: json!({ "message": error.to_string() }),
        }]);
        job.commit(work).await?;
    }
    let message =
        format!("the chat platform refused the message, which switched the log channel off: {error}");
    Ok(JobError::Fail(failure(403, "channel_refused", message)))
}

impl Job {
    async fn embeds(&self, job: &JobContext, news: &[audit_entry::Model]) -> Result<Vec<Embed>, JobError> {
        let Some(guild) = news.first().map(|entry| entry.guild_id) else { return Ok(Vec::new()) };
        let (conn, call) = (job.database().write(), CallContext::bulk(guild));
        let ids = Ids::of(news);
        let persons: HashSet<Subject> = ids.persons().collect();
        let persons = self.names(job, call, persons).await?;
        let names = Names::read(conn, &self.platforms, call, &ids, persons).await?;
        Ok(news.iter().map(|entry| embed::of(&names, entry, self.public_url.as_deref())).collect())
    }

    /// By their links; of players without one, by the game platform. The chat platform shows names for its users by itself.
    async fn names(
        &self,
        job: &JobContext,
        call: CallContext,
        persons: HashSet<Subject>,
    ) -> Result<HashMap<Subject, String>, JobError> {
        let conn = job.database().write();
        let chats: Vec<_> = persons.iter().filter_map(|person| person.chat()).collect();
        let plays: Vec<_> = persons.iter().filter_map(|person| person.play()).collect();
        let mut links = link::find_by_chats(conn, call.guild, &chats).await?;
        links.extend(link::find_by_plays(conn, call.guild, &plays).await?);
        let mut names = HashMap::new();
        for link in links {
            names.insert(Subject::Chat(link.chat_id), link.play_username.clone());
            names.insert(Subject::Play(link.play_id), link.play_username);
        }
        let unlinked: Vec<_> =
            plays.into_iter().filter(|play| !names.contains_key(&Subject::Play(*play))).collect();
        if !unlinked.is_empty() {
            let asked = self.platforms.play.usernames(call, &unlinked);
            if let Ok(Ok(found)) = tokio::time::timeout(NAMES_WITHIN, asked).await {
                names.extend(found.into_iter().map(|(play, name)| (Subject::Play(play), name)));
            }
        }
        Ok(names)
    }
}
