//! Changes of members: of a preview, or of the chunks of a run.

use entities::RoleId;
use entities::job::{Model, listing};
use jobs::bulk_sync::{PlannedChange, SyncChunk};
use platforms::GuildOverview;
use serde_json::{Value, json};

use super::super::actors::Actors;
use super::super::people::Who;
use crate::html::list::skipped;
use crate::response::PageError;
use crate::visit::GuildVisit;

/// Changes of one page.
const SHOWN: usize = 50;
/// A chunk has fewer members than this; so the address of a part names the chunk and the first of its members.
const CHUNK: usize = 1_000;

/// The changes of one member.
pub(in crate::pages::guilds) struct Change {
    pub(in crate::pages::guilds) member: Option<Who>,
    pub(in crate::pages::guilds) gets: String,
    pub(in crate::pages::guilds) loses: String,
    pub(in crate::pages::guilds) nickname: String,
}

/// Changes that a run has planned; those that failed are among them.
pub(in crate::pages::guilds) struct Planned {
    pub(in crate::pages::guilds) changes: Vec<Change>,
    /// The query of the next part.
    pub(in crate::pages::guilds) more: Option<String>,
}

impl Planned {
    /// The part that the address asks for.
    pub(in crate::pages::guilds) async fn read(visit: &GuildVisit, run: &Model) -> Result<Self, PageError> {
        let skipped = skipped(&visit.query);
        let (chunk, from) = (skipped / CHUNK, skipped % CHUNK);
        let arguments = async |chunk: usize| {
            listing::child_arguments(visit.read(), visit.guild.guild_id, run.job_id, chunk as u64).await
        };
        let chunk_of = |given| serde_json::from_value::<SyncChunk>(given).ok();
        let Some(SyncChunk { members, .. }) = arguments(chunk).await?.and_then(chunk_of) else {
            return Ok(Self { changes: Vec::new(), more: None });
        };
        let until = (from + SHOWN).min(members.len());
        let next = if until < members.len() {
            Some(skipped + SHOWN)
        } else {
            arguments(chunk + 1).await?.map(|_| (chunk + 1) * CHUNK)
        };
        Ok(Self {
            changes: of(visit, members.into_iter().take(until).skip(from).collect()).await?,
            more: next.map(|next| visit.query.with("skip", &next.to_string())),
        })
    }
}

/// Changes as the result of a preview lists them.
pub(super) fn sampled(sample: &[Value]) -> Vec<PlannedChange> {
    let planned = |change: &Value| {
        let fields = json!({
            "user": change["chat_id"], "add": change["add"], "remove": change["remove"], "nick": change["nickname"],
        });
        serde_json::from_value(fields).ok()
    };
    sample.iter().filter_map(planned).collect()
}

/// The same with names.
pub(super) async fn of(visit: &GuildVisit, changes: Vec<PlannedChange>) -> Result<Vec<Change>, PageError> {
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let actors = Actors::read(visit, changes.iter().map(|change| change.user.get()).collect()).await?;
    let overview = visit.platforms().chat.guild_overview(visit.call_context()).await.ok();
    let change = |change: PlannedChange| Change {
        member: actors.who(visit, change.user.get()),
        gets: roles(&change.add, overview.as_ref()),
        loses: roles(&change.remove, overview.as_ref()),
        nickname: change.nick.unwrap_or_default(),
    };
    Ok(changes.into_iter().map(change).collect())
}

/// Names of roles; while Discord does not answer, their ids.
fn roles(ids: &[RoleId], overview: Option<&GuildOverview>) -> String {
    let name = |id: &RoleId| {
        let role = overview.and_then(|overview| overview.role(*id));
        role.map_or_else(|| id.to_string(), |role| role.name.clone())
    };
    ids.iter().map(name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_lists_changes_as_a_run_plans_them() {
        let sample = json!([{ "chat_id": "1", "add": ["5", "6"], "remove": [], "nickname": null }]);
        let [change] = sampled(sample.as_array().unwrap()).try_into().unwrap();
        assert_eq!((change.user.get(), change.nick, roles(&change.add, None).as_str()), (1, None, "5, 6"));
    }
}
