//! Which bindings match one member, without changing anything.

use std::collections::BTreeSet;

use entities::{GroupId, PlayId, Subject, binding, link};
use platforms::Ranks;

use super::rows::named_rank;
use crate::answer::PageError;
use crate::visit::GuildVisit;

/// The result for a member.
pub(super) struct Tested {
    pub(super) typed: String,
    /// Why there is no result; empty: there is one.
    pub(super) problem: String,
    pub(super) name: String,
    pub(super) rows: Vec<Row>,
}

pub(super) struct Row {
    pub(super) group: GroupId,
    pub(super) rank: String,
    /// What the member has in this group.
    pub(super) held: String,
    pub(super) matches: bool,
}

/// `typed`: an id of either account; empty: nothing is tested.
pub(super) async fn run(
    visit: &GuildVisit,
    bindings: &[binding::Model],
    typed: &str,
) -> Result<Option<Tested>, PageError> {
    if typed.is_empty() {
        return Ok(None);
    }
    let tested =
        Tested { typed: typed.to_owned(), problem: String::new(), name: String::new(), rows: Vec::new() };
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let link = match typed.parse() {
        Ok(Subject::Chat(chat)) => link::find_by_chat(conn, guild, chat).await?,
        Ok(Subject::Play(play)) => link::find_by_play(conn, guild, play).await?,
        Err(_) => None,
    };
    let Some(link) = link else {
        let problem = "No linked member has this id. Give a Discord id or a Roblox id.".to_owned();
        return Ok(Some(Tested { problem, ..tested }));
    };
    let groups: BTreeSet<GroupId> = bindings.iter().map(|row| row.group_id).collect();
    let groups: Vec<_> = groups.into_iter().collect();
    let read = visit.platforms().play.group_ranks(visit.platform(), &[link.play_id], &groups).await;
    Ok(Some(match read {
        Ok(ranks) => {
            let rows = bindings.iter().map(|row| compare(row, link.play_id, &ranks)).collect();
            Tested { name: link.play_username, rows, ..tested }
        }
        Err(error) => {
            Tested { problem: format!("Roblox does not tell the member's ranks: {error}."), ..tested }
        }
    }))
}

fn compare(row: &binding::Model, play: PlayId, ranks: &Ranks) -> Row {
    let held = ranks.get(&(play, row.group_id)).map(Vec::as_slice).unwrap_or_default();
    let matches =
        if row.rank == 0 { held.is_empty() } else { held.iter().any(|rank| i32::from(*rank) == row.rank) };
    let named: Vec<_> = held.iter().map(ToString::to_string).collect();
    let held = if named.is_empty() { "not in the group".to_owned() } else { named.join(", ") };
    Row { group: row.group_id, rank: named_rank(row.rank, None).0, held, matches }
}
