//! POST /guilds/:guildId/links/import: many links at once, with an answer for each line (docs/rules.md 11).

use entities::import::{self, Made};
use entities::{ChatId, ImportId, JobId, PlayId, link};
use jobs::bulk_sync::{BulkSync, SyncAll};
use jobs::link_import::MergeError;
use jobs::link_import::lines::{Verdict, WriteError, judge, write};
use jobs::linking::Linking;

use crate::auth::bulk_sync;
use crate::endpoints::guilds::links::import::line::ImportLine;
use crate::endpoints::guilds::links::record::Link;
use crate::endpoints::imports::LINES_MAX;
use crate::endpoints::prelude::*;
use crate::request::values::List;

request! {
    pub(crate) struct LinksImportRequest {
        lines: List<ImportLine, LINES_MAX>,
        /// Ends links of either account to another one. Without it such a link is a conflict.
        replace: Option<bool>,
        /// Say what would become of each line, and change nothing.
        dry_run: Option<bool>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ImportedLinks {
    /// In the order of the request.
    lines: Vec<ImportedLine>,
    /// The sync of all members, which gives them roles and nicknames; null: no link changed, or the guild's hour of such
    /// syncs is used up.
    #[schema(required)]
    job_id: Option<JobId>,
    /// By which the import can be undone for a day; null: no link changed.
    #[schema(required)]
    import_id: Option<ImportId>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ImportedLine {
    result: LineResult,
    #[schema(required)]
    chat_id: Option<ChatId>,
    #[schema(required)]
    play_id: Option<PlayId>,
    #[schema(required, example = "Brickmason")]
    play_username: Option<String>,
    /// Of an invalid line: the field that is absent or not allowed.
    #[schema(required, example = "chat_id")]
    field: Option<&'static str>,
    /// Links of either account to another one: they stand in the way, or have ended.
    others: Vec<Link>,
}

#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum LineResult {
    Linked,
    /// The accounts are linked already.
    Unchanged,
    /// Linked in place of `others`.
    Replaced,
    /// `others` stand in the way.
    Conflict,
    /// The game platform does not know the account.
    UnknownPlayer,
    /// A line before names one of the accounts.
    Duplicate,
    Invalid,
}

pub(crate) fn operation() -> Operation {
    Operation::new("importLinks", "Link many chat users and game accounts")
        .about(
            "For links that another bot has exported. A missing name or id is asked of the game platform. Lines that cannot be \
             linked do not stop the others, which are written together. A sync of all members follows, once an hour.",
        )
        .body::<LinksImportRequest>()
        .data::<ImportedLinks>()
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let LinksImportRequest { lines: List(mut lines), replace, dry_run } = call.body()?;
    for chat in lines.iter().filter_map(|line| line.chat) {
        call.caller.decides_about(chat)?;
    }
    complete(&call, &mut lines).await?;
    let links: Vec<_> = lines.iter().filter_map(ImportLine::link).collect();
    let replace = replace == Some(true);
    if dry_run == Some(true) {
        let verdicts = judge(call.read(), call.guild(), &links, replace).await?;
        return Reply::data(&ImportedLinks {
            lines: answers(lines, verdicts),
            job_id: None,
            import_id: None,
        });
    }
    let mut work = UnitOfWork::begin(&call).await?;
    let mut linking = Linking::begin(&mut work, call.guild(), call.actor()).await?;
    let verdicts = judge(linking.tx(), call.guild(), &links, replace).await?;
    let new = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Linked)).count();
    if new > 0 {
        call.room_for(call.read(), Cap::Links, new as u64).await?;
    }
    let (mut job_id, mut import_id) = (None, None);
    if verdicts.iter().any(Verdict::writes) {
        write(&mut linking, &links, &verdicts).await?;
        job_id = sync(&call, &mut work).await?;
        let written = links.iter().zip(&verdicts).filter(|(_, verdict)| verdict.writes());
        let made = Made::Links(written.map(|(link, _)| (link.chat_id, link.play_id)).collect());
        let row = import::add(work.tx(), call.guild(), call.caller.user(), made, work.now()).await?;
        import_id = Some(row.import_id);
    }
    let data = ImportedLinks { lines: answers(lines, verdicts), job_id, import_id };
    work.commit(Reply::data(&data)?).await
}

/// Asks the game platform for names and ids that are missing. What it does not know stays missing.
async fn complete(call: &Call, lines: &mut [ImportLine]) -> Result<(), ApiError> {
    let valid = || lines.iter().filter(|line| line.wrong.is_none());
    let names: Vec<_> =
        valid().filter(|line| line.play.is_none()).filter_map(|line| line.name.clone()).collect();
    let plays: Vec<_> = valid().filter(|line| line.name.is_none()).filter_map(|line| line.play).collect();
    let play = &call.state.platforms.play;
    let by_name = play.find_by_names(call.platform(), &names);
    let by_id = play.usernames(call.platform(), &plays);
    let (by_name, by_id) = tokio::try_join!(by_name, by_id)?;
    for line in lines {
        match (line.play, &line.name) {
            (None, Some(name)) => {
                if let Some(player) = by_name.get(&name.to_lowercase()) {
                    (line.play, line.name) = (Some(player.id), Some(player.name.clone()));
                }
            }
            (Some(play), None) => line.name = by_id.get(&play).cloned(),
            _ => {}
        }
    }
    Ok(())
}

/// Of valid lines whose account is known there is a verdict each.
fn answers(lines: Vec<ImportLine>, verdicts: Vec<Verdict>) -> Vec<ImportedLine> {
    let mut verdicts = verdicts.into_iter();
    let answer = |line: ImportLine| {
        let verdict = line.link().and_then(|_| verdicts.next());
        let (result, others) = match verdict {
            Some(Verdict::Linked) => (LineResult::Linked, Vec::new()),
            Some(Verdict::Unchanged) => (LineResult::Unchanged, Vec::new()),
            Some(Verdict::Replaced(others)) => (LineResult::Replaced, others),
            Some(Verdict::Conflict(others)) => (LineResult::Conflict, others),
            Some(Verdict::Duplicate) => (LineResult::Duplicate, Vec::new()),
            None if line.wrong.is_some() => (LineResult::Invalid, Vec::new()),
            None => (LineResult::UnknownPlayer, Vec::new()),
        };
        ImportedLine {
            result,
            chat_id: line.chat,
            play_id: line.play,
            play_username: line.name,
            field: line.wrong,
            others: others.iter().map(Link::from).collect(),
        }
    };
    lines.into_iter().map(answer).collect()
}

/// One sync of all members instead of one for each line, which would delay what staff do meanwhile. `None`: the guild's
/// hour is used up.
async fn sync(call: &Call, work: &mut UnitOfWork<'_>) -> Result<Option<JobId>, ApiError> {
    let members = link::count(work.tx(), call.guild()).await?;
    let payload = SyncAll::of(call.guild());
    Ok(match bulk_sync::enqueue(call, work, &payload, members).await? {
        BulkSync::Queued(enqueued, _) => Some(enqueued.job),
        BulkSync::OverQuota(_) => None,
    })
}

impl From<WriteError> for ApiError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Queue(error) => error.into(),
            WriteError::Merge(MergeError::Database(error)) => error.into(),
            WriteError::Merge(conflict @ MergeError::Conflict { .. }) => Self::internal(conflict),
        }
    }
}
