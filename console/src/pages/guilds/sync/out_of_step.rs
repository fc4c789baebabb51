//! Who is out of step: what a sync would change now, and since when.

use entities::{ChatId, synced_member};
use jobs::bulk_sync::OutOfStep as Due;

use super::changes::{self, Change, Listed};
use crate::html::format::Count;
use crate::response::PageError;
use crate::visit::GuildVisit;

/// Members of one page.
const SHOWN: usize = 50;

pub(super) struct OutOfStep {
    pub(super) members: Count<u64>,
    pub(super) changes: Vec<Change>,
    /// The query of the next part.
    pub(super) more: Option<String>,
}

impl OutOfStep {
    pub(super) async fn read(visit: &GuildVisit) -> Result<Self, PageError> {
        let (conn, guild) = (visit.read(), visit.guild.guild_id);
        let after: Option<ChatId> = visit.query.read("after");
        let mut rows = synced_member::list_due(conn, guild, after, SHOWN as u64 + 1).await?;
        let more = (rows.len() > SHOWN).then(|| rows[SHOWN - 1].chat_id);
        rows.truncate(SHOWN);
        let listed = rows.into_iter().filter_map(|row| {
            let Due { change, refused } = serde_json::from_value(row.due?).ok()?;
            let at = row.due_since.map(|since| visit.when(since));
            Some(Listed::due(change, refused, at))
        });
        Ok(Self {
            members: Count(synced_member::count_due(conn, guild, None).await?, "member"),
            changes: changes::of(visit, listed.collect()).await?,
            more: more.map(|after| visit.query.with("after", &after.to_string()) + "#out-of-step"),
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.0 == 0
    }
}
