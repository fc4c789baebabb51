//! How the last sync left members, for their list: reading each on Discord would take a call for each.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use entities::synced_member::{self, Ranks};
use entities::{ChatId, GroupId, link};

use crate::platform_cache::groups::{Group, rank_name};
use crate::response::PageError;
use crate::visit::GuildVisit;

#[derive(Debug, Default)]
pub(super) struct Seen {
    /// On Discord.
    pub(super) name: String,
    /// In the bound groups.
    pub(super) rank: String,
    /// Those that syncs give.
    pub(super) roles: String,
    pub(super) is_out_of_step: bool,
}

impl Seen {
    pub(super) async fn read(
        visit: &GuildVisit,
        links: &[link::Model],
    ) -> Result<HashMap<ChatId, Self>, PageError> {
        if links.is_empty() {
            return Ok(HashMap::new());
        }
        let users: Vec<_> = links.iter().map(|link| link.chat_id).collect();
        let rows = synced_member::find_many(visit.read(), visit.guild.guild_id, &users).await?;
        let named = rows.iter().flat_map(|row| row.states.ranks.keys()).copied();
        let groups = visit.console.groups.find_all(visit.call_context(), named).await;
        let roles = visit.console.roles.names(visit.call_context()).await;
        let seen = |row: synced_member::Model| {
            let seen = Self {
                rank: rank(&row.states.ranks, &groups),
                roles: roles.list(&row.states.roles),
                name: row.states.name,
                is_out_of_step: row.due.is_some(),
            };
            (row.chat_id, seen)
        };
        Ok(rows.into_iter().map(seen).collect())
    }
}

type Groups = BTreeMap<GroupId, Arc<Group>>;

/// "Officer"; of several groups with their names.
fn rank(ranks: &Ranks, groups: &Groups) -> String {
    let member_of: Vec<_> = ranks.iter().filter(|(_, ranks)| ranks.iter().any(|rank| *rank > 0)).collect();
    let word = |(id, ranks): &(&GroupId, &Vec<i16>)| {
        let group = groups.get(id);
        let names: Vec<_> = ranks.iter().map(|rank| rank_name(group.map(Arc::as_ref), *rank)).collect();
        match group.filter(|_| member_of.len() > 1) {
            Some(group) => format!("{} in {group}", names.join(", ")),
            None => names.join(", "),
        }
    };
    member_of.iter().map(word).collect::<Vec<_>>().join("; ")
}
