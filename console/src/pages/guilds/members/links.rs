//! The author of a person's link, and earlier links of both accounts.

use entities::{ChatId, PlayId, link, link_history};

use crate::html::format::When;
use crate::pages::guilds::actors::Actors;
use crate::response::PageError;
use crate::visit::GuildVisit;

/// Ended links of one page.
const SHOWN: u64 = 20;

pub(super) struct Ended {
    pub(super) chat: String,
    pub(super) play: String,
    pub(super) name: String,
    pub(super) since: When,
    pub(super) until: When,
    /// In words.
    pub(super) why: &'static str,
    /// Who ended it; shown to people who may read the audit log.
    pub(super) by: Option<String>,
}

/// Who made the present link, as far as the audit log has it.
pub(super) struct Made {
    pub(super) by: String,
    pub(super) at: When,
}

/// Shown to people who may read the audit log.
pub(super) async fn made(visit: &GuildVisit, link: &link::Model) -> Result<Option<Made>, PageError> {
    if !visit.may("audit.read") {
        return Ok(None);
    }
    let Some(made) = link_history::made(visit.read(), link).await? else { return Ok(None) };
    let actors = Actors::read(visit, vec![made.actor]).await?;
    let by = made.by.or_else(|| Some(actors.who(visit, made.actor)?.name));
    Ok(Some(Made { by: by.unwrap_or_else(|| "Guildhall".to_owned()), at: visit.when(made.at) }))
}

/// Ended links of either account.
pub(super) async fn ended(
    visit: &GuildVisit,
    chat: ChatId,
    play: Option<PlayId>,
) -> Result<Vec<Ended>, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let rows = link_history::of_person(conn, guild, chat, play, SHOWN).await?;
    let actors = Actors::read(visit, rows.iter().map(|row| row.actor).collect()).await?;
    let by = |row: &link_history::Ended| {
        let name = row.by.clone().or_else(|| Some(actors.who(visit, row.actor)?.name));
        name.filter(|_| visit.may("audit.read"))
    };
    Ok(rows
        .into_iter()
        .map(|row| Ended {
            by: by(&row),
            chat: row.chat.to_string(),
            play: row.play.to_string(),
            since: visit.when(row.since),
            until: visit.when(row.until),
            why: if row.replaced { "replaced by another Roblox account" } else { "removed" },
            name: row.name,
        })
        .collect())
}
