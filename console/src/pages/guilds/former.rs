//! People whose links have ended, by an id of either account: their pages have no link to be found by.

use entities::{Subject, link_history};

use crate::response::PageError;
use crate::visit::GuildVisit;

/// Ended links of an account that are looked at.
const LOOKED_AT: u64 = 20;

pub(super) struct Former {
    /// Of the game account, at the end of the link.
    pub(super) name: String,
    pub(super) url: String,
}

/// For people who may read the audit log, which has the history of links.
pub(super) async fn find(visit: &GuildVisit, typed: &str) -> Result<Vec<Former>, PageError> {
    let Ok(subject) = typed.parse::<Subject>() else { return Ok(Vec::new()) };
    if !visit.may("lookup.read") || !visit.may("audit.read") {
        return Ok(Vec::new());
    }
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let ended = match subject {
        Subject::Chat(chat) => link_history::of_person(conn, guild, chat, None, LOOKED_AT).await?,
        Subject::Play(play) => link_history::of_play(conn, guild, play, LOOKED_AT).await?,
    };
    let mut found: Vec<Former> = Vec::new();
    for link in ended {
        let url = visit.url(&format!("/members/{}", link.chat));
        if found.iter().all(|one| one.url != url) {
            found.push(Former { name: link.name, url });
        }
    }
    Ok(found)
}
