//! Which bindings match one member, without changing anything.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use entities::{GroupId, PlayId, Subject, binding, link};
use platforms::{GuildOverview, Ranks};

use super::rows::{named_rank, named_role};
use crate::pages::guilds::people::{Who, resolve};
use crate::platform_cache::groups::Group;
use crate::response::PageError;
use crate::visit::GuildVisit;

/// The result for a member.
pub(super) struct Tested {
    pub(super) typed: String,
    /// Why there is no result; empty: there is one.
    pub(super) problem: String,
    pub(super) member: Option<Who>,
    pub(super) rows: Vec<Row>,
}

pub(super) struct Row {
    /// Its name, or its number.
    pub(super) group: String,
    pub(super) rank: String,
    /// The member's ranks in this group.
    pub(super) held: String,
    pub(super) role: String,
    pub(super) matches: bool,
}

/// The groups that Roblox answers for.
type Names = HashMap<GroupId, Arc<Group>>;

/// `typed`: an id of either account or a player's name; empty: nothing is tested.
pub(super) async fn run(
    visit: &GuildVisit,
    bindings: &[binding::Model],
    overview: Option<&GuildOverview>,
    typed: &str,
) -> Result<Option<Tested>, PageError> {
    if typed.is_empty() {
        return Ok(None);
    }
    let refused = |problem| Tested { typed: typed.to_owned(), problem, member: None, rows: Vec::new() };
    let link = match find(visit, typed).await? {
        Ok(link) => link,
        Err(problem) => return Ok(Some(refused(problem))),
    };
    let groups: BTreeSet<GroupId> = bindings.iter().map(|row| row.group_id).collect();
    let groups: Vec<_> = groups.into_iter().collect();
    let ranks = match visit.platforms().play.group_ranks(visit.call_context(), &[link.play_id], &groups).await
    {
        Ok(ranks) => ranks,
        Err(error) => return Ok(Some(refused(format!("The member's ranks cannot be read: {error}.")))),
    };
    let mut names = Names::new();
    for id in groups {
        names.extend(visit.console.groups.find(visit.call_context(), id).await.ok().map(|group| (id, group)));
    }
    let row = |row: &binding::Model| {
        let role =
            overview.map_or_else(|| row.role_id.to_string(), |known| named_role(visit, known, row.role_id).0);
        compare(row, link.play_id, &ranks, &names, role)
    };
    let rows = bindings.iter().map(row).collect();
    Ok(Some(Tested { member: Some(Who::linked(visit, &link)), rows, ..refused(String::new()) }))
}

/// The link of the typed person, or why there is none.
async fn find(visit: &GuildVisit, typed: &str) -> Result<Result<link::Model, String>, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let link = match resolve(visit, typed).await? {
        Ok(Subject::Chat(chat)) => link::find_by_chat(conn, guild, chat).await?,
        Ok(Subject::Play(play)) => link::find_by_play(conn, guild, play).await?,
        Err(problem) => return Ok(Err(problem)),
    };
    Ok(link
        .ok_or_else(|| "No linked member has this id. Give a name, a Discord id or a Roblox id.".to_owned()))
}

fn compare(row: &binding::Model, play: PlayId, ranks: &Ranks, names: &Names, role: String) -> Row {
    let group = names.get(&row.group_id);
    let names = group.map(|group| group.ranks.as_slice());
    let held = ranks.get(&(play, row.group_id)).map(Vec::as_slice).unwrap_or_default();
    let matches =
        if row.rank == 0 { held.is_empty() } else { held.iter().any(|rank| i32::from(*rank) == row.rank) };
    let named: Vec<_> = held.iter().map(|rank| named_rank(i32::from(*rank), names).0).collect();
    let held = if named.is_empty() { "Not in the group".to_owned() } else { named.join(", ") };
    let group = group.map_or_else(|| row.group_id.to_string(), ToString::to_string);
    Row { group, rank: named_rank(row.rank, names).0, held, role, matches }
}
