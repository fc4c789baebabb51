//! Changes of members with names and reasons: what a preview lists, what is due, and what a run has made.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::TimeDelta;
use entities::audit_entry::{self, Filter, MEMBER_SYNCED};
use entities::job::Model;
use entities::{AuditId, GroupId, Page as Rows, RoleId};
use jobs::bulk_sync::PlannedChange;
use serde::Deserialize;
use serde_json::Value;

use super::super::actors::Actors;
use super::super::people::Who;
use crate::html::format::When;
use crate::platform_cache::groups::{Group, rank_name};
use crate::response::PageError;
use crate::visit::GuildVisit;

/// Changes of one page.
const SHOWN: usize = 50;

/// The changes of one member.
pub(in crate::pages::guilds) struct Change {
    pub(in crate::pages::guilds) member: Option<Who>,
    pub(in crate::pages::guilds) gets: String,
    pub(in crate::pages::guilds) loses: String,
    pub(in crate::pages::guilds) nickname: String,
    /// The ranks that decide.
    pub(in crate::pages::guilds) why: String,
    /// Why a sync cannot make a part of it.
    pub(in crate::pages::guilds) refused: String,
    /// When it was found, or made.
    pub(in crate::pages::guilds) at: Option<When>,
}

/// The same before its names are read: as previews list it and entries of the log tell it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Listed {
    chat_id: String,
    #[serde(alias = "added_roles")]
    add: Vec<RoleId>,
    #[serde(alias = "removed_roles")]
    remove: Vec<RoleId>,
    nickname: Option<String>,
    ranks: Vec<RanksIn>,
    #[serde(skip)]
    refused: Option<String>,
    #[serde(skip)]
    at: Option<When>,
}

#[derive(Debug, Deserialize)]
struct RanksIn {
    group_id: GroupId,
    ranks: Vec<i16>,
    #[serde(default)]
    ranks_before: Option<Vec<i16>>,
}

impl Listed {
    /// What a sync would change, since when, and why it cannot make a part of it.
    pub(super) fn due(planned: PlannedChange, refused: Option<String>, at: Option<When>) -> Self {
        let before = planned.ranks_before;
        let ranks = planned.ranks.into_iter().map(|(group_id, ranks)| RanksIn {
            ranks_before: before.get(&group_id).cloned(),
            group_id,
            ranks,
        });
        Self {
            chat_id: planned.user.to_string(),
            ranks: ranks.collect(),
            add: planned.add,
            remove: planned.remove,
            nickname: planned.nick,
            refused,
            at,
        }
    }
}

/// Changes that a run has made.
pub(in crate::pages::guilds) struct Made {
    pub(in crate::pages::guilds) changes: Vec<Change>,
    /// The query of the next part.
    pub(in crate::pages::guilds) more: Option<String>,
}

impl Made {
    /// The part that the address asks for, from the entries of the log that the run wrote.
    pub(in crate::pages::guilds) async fn read(visit: &GuildVisit, run: &Model) -> Result<Self, PageError> {
        let filter = Filter {
            from: run.started_at,
            // Clocks of processes differ.
            until: run.finished_at.map(|at| at + TimeDelta::minutes(1)),
            ..Filter::from(Some(MEMBER_SYNCED))
        };
        let id = run.job_id.to_string();
        let mut rows = Rows::<AuditId> { cursor: visit.query.read("cursor"), limit: SHOWN as u64 + 1 };
        let mut entries = Vec::new();
        // Single syncs of the same time are between them.
        while entries.len() <= SHOWN {
            let part = audit_entry::list(visit.read(), visit.guild.guild_id, filter, rows).await?;
            let Some(last) = part.last().map(|entry| entry.audit_id) else { break };
            rows.cursor = Some(last);
            let is_last = part.len() <= SHOWN;
            entries.extend(part.into_iter().filter(|entry| entry.metadata["job_id"] == id.as_str()));
            if is_last {
                break;
            }
        }
        let next = (entries.len() > SHOWN).then(|| entries[SHOWN - 1].audit_id);
        entries.truncate(SHOWN);
        let listed = entries.into_iter().filter_map(|entry| {
            let made: Listed = serde_json::from_value(entry.metadata).ok()?;
            Some(Listed { chat_id: entry.target_id, at: Some(visit.when(entry.created_at)), ..made })
        });
        Ok(Self {
            changes: of(visit, listed.collect()).await?,
            more: next.map(|next| visit.query.with("cursor", &next.to_string())),
        })
    }
}

/// Changes as the result of a preview lists them.
pub(super) fn sampled(sample: &[Value]) -> Vec<Listed> {
    sample.iter().filter_map(|change| serde_json::from_value(change.clone()).ok()).collect()
}

/// The same with names.
pub(super) async fn of(visit: &GuildVisit, changes: Vec<Listed>) -> Result<Vec<Change>, PageError> {
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let user = |change: &Listed| change.chat_id.parse().unwrap_or_default();
    let actors = Actors::read(visit, changes.iter().map(user).collect()).await?;
    let roles = visit.console.roles.names(visit.call_context()).await;
    let named = changes.iter().flat_map(|change| &change.ranks).map(|ranks| ranks.group_id);
    let groups = visit.console.groups.find_all(visit.call_context(), named).await;
    let change = |change: Listed| Change {
        member: actors.who(visit, user(&change)),
        gets: roles.list(&change.add),
        loses: roles.list(&change.remove),
        why: reasons(&change, &groups),
        nickname: change.nickname.unwrap_or_default(),
        refused: change.refused.unwrap_or_default(),
        at: change.at,
    };
    Ok(changes.into_iter().map(change).collect())
}

fn reasons(change: &Listed, groups: &BTreeMap<GroupId, Arc<Group>>) -> String {
    match change.nickname {
        Some(_) if change.ranks.is_empty() => "the template of nicknames".to_owned(),
        _ => change.ranks.iter().map(|ranks| why(ranks, groups)).collect::<Vec<_>>().join("; "),
    }
}

/// "Officer in Guildhall Fans, before Recruit"
fn why(ranks: &RanksIn, groups: &BTreeMap<GroupId, Arc<Group>>) -> String {
    let group = groups.get(&ranks.group_id);
    let name = group.map_or_else(|| format!("group {}", ranks.group_id), ToString::to_string);
    let rank = |rank: &i16| rank_name(group.map(Arc::as_ref), *rank);
    let ranks_of = |ranks: &[i16]| match ranks {
        [] | [0] => None,
        some => Some(some.iter().map(rank).collect::<Vec<_>>().join(" and ")),
    };
    let now = ranks_of(&ranks.ranks);
    let before = ranks.ranks_before.as_deref().map(ranks_of).filter(|before| *before != now);
    let now = now.map_or_else(|| format!("not in {name}"), |now| format!("{now} in {name}"));
    match before {
        None => now,
        Some(None) => format!("{now}, before not in it"),
        Some(Some(before)) => format!("{now}, before {before}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::platform_cache::roles::RoleNames;

    #[test]
    fn a_preview_and_the_log_tell_changes_alike() {
        let ranks = json!([{ "group_id": "7", "ranks": [5], "ranks_before": [0] }]);
        let sample = json!([
            { "chat_id": "1", "add": ["5", "6"], "remove": [], "nickname": null, "ranks": ranks },
            { "cause": "follow", "added_roles": ["5", "6"], "removed_roles": [], "ranks": ranks },
        ]);
        for listed in sampled(sample.as_array().unwrap()) {
            assert_eq!(RoleNames::default().list(&listed.add), "5, 6");
            assert_eq!(why(&listed.ranks[0], &BTreeMap::new()), "rank 5 in group 7, before not in it");
        }
        let left = RanksIn { ranks: vec![0], ranks_before: Some(vec![5]), ..ranks_in(7) };
        assert_eq!(why(&left, &BTreeMap::new()), "not in group 7, before rank 5");
        assert_eq!(why(&RanksIn { ranks: vec![5], ..ranks_in(7) }, &BTreeMap::new()), "rank 5 in group 7");
    }

    fn ranks_in(group: i64) -> RanksIn {
        RanksIn { group_id: GroupId::try_from(group).unwrap(), ranks: Vec::new(), ranks_before: None }
    }
}
