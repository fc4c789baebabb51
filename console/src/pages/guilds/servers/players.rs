//! The players of a server, with what is known of each.

use std::collections::{HashMap, HashSet};

use entities::game_server::present;
use entities::{ChatId, Person, PlayId, Subject, game_server, shield_flag, staff_directory, synced_member};

use crate::html::format::{Count, When};
use crate::pages::guilds::candidates::in_force;
use crate::pages::guilds::moderation::Kind;
use crate::pages::guilds::people::{People, Who};
use crate::response::PageError;
use crate::visit::GuildVisit;

/// Players of one page, as of other lists with menus.
const SHOWN: usize = 25;
/// The field of the address: how many come before those of the page.
const FIELD: &str = "players";

pub(super) struct Players {
    pub(super) rows: Vec<Player>,
    pub(super) total: Count<u32>,
    /// When the server said so.
    pub(super) at: When,
    /// The queries of the pages before and after.
    pub(super) earlier: Option<String>,
    pub(super) later: Option<String>,
}

pub(super) struct Player {
    pub(super) who: Who,
    pub(super) play: PlayId,
    /// On Discord, as the last sync saw them; empty: not known.
    pub(super) discord: String,
    /// The colour's name and the word.
    pub(super) marks: Vec<(&'static str, &'static str)>,
}

impl Players {
    /// `None`: the server sends no list of its players.
    pub(super) async fn read(
        visit: &GuildVisit,
        server: &game_server::Model,
    ) -> Result<Option<Self>, PageError> {
        let found = present::find(visit.read(), visit.guild.guild_id, &server.server_id).await?;
        let list = found.as_ref().and_then(|found| found.list(visit.now()));
        let Some((plays, at)) = list else { return Ok(None) };
        let people = People::read(visit, plays.iter().copied().map(Subject::Play)).await?;
        let mut all: Vec<_> =
            plays.iter().map(|play| (people.who(visit, Subject::Play(*play)), *play)).collect();
        all.sort_by_cached_key(|(who, play)| (who.name.to_lowercase(), *play));
        // Some may have left since the link was made: the last page is shown for those beyond it.
        let last = all.len().saturating_sub(1) / SHOWN * SHOWN;
        let before = visit.query.read::<usize>(FIELD).unwrap_or_default().min(last);
        let page = |before: usize| visit.query.with(FIELD, &before.to_string());
        let later = (all.len() - before > SHOWN).then(|| page(before + SHOWN));
        let shown = all.drain(before..).take(SHOWN).collect();
        Ok(Some(Self {
            rows: rows(visit, server, shown).await?,
            total: Count(u32::try_from(plays.len()).unwrap_or(u32::MAX), "player"),
            at: visit.when(at),
            earlier: (before > 0).then(|| page(before.saturating_sub(SHOWN))),
            later,
        }))
    }
}

async fn rows(
    visit: &GuildVisit,
    server: &game_server::Model,
    shown: Vec<(Who, PlayId)>,
) -> Result<Vec<Player>, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let plays: Vec<_> = shown.iter().map(|(_, play)| *play).collect();
    let people: Vec<_> =
        shown.iter().map(|(who, play)| Person { chat: who.chat, play: Some(*play) }).collect();
    let mut sanctions = in_force(visit, &people).await?;
    sanctions.retain(|row| row.place_id.is_none_or(|place| place == server.place_id));
    let flagged: HashSet<_> = if visit.may("shield.read") {
        shield_flag::find_many(conn, &plays).await?.into_iter().map(|flag| flag.play_id).collect()
    } else {
        HashSet::new()
    };
    let staff = staff_directory::by_play(conn, guild).await?;
    let discord = discord_names(visit, people.iter().filter_map(|person| person.chat).collect()).await?;
    let player = |(who, play): (Who, PlayId)| {
        let accounts = [who.chat.map(Subject::Chat), Some(Subject::Play(play))];
        let own = sanctions.iter().filter(|row| row.subject().is_some_and(|of| accounts.contains(&Some(of))));
        let mut marks: Vec<_> = own.map(|row| ("bad", Kind(row.kind).done())).collect();
        marks.sort_unstable();
        marks.dedup();
        marks.extend(flagged.contains(&play).then_some(("warning", "flagged")));
        marks.extend(staff.contains_key(&play).then_some(("info", "staff")));
        let discord = who.chat.and_then(|chat| discord.get(&chat).cloned()).unwrap_or_default();
        Player { who, play, discord, marks }
    };
    Ok(shown.into_iter().map(player).collect())
}

async fn discord_names(visit: &GuildVisit, chats: Vec<ChatId>) -> Result<HashMap<ChatId, String>, PageError> {
    if chats.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = synced_member::find_many(visit.read(), visit.guild.guild_id, &chats).await?;
    Ok(rows.into_iter().map(|row| (row.chat_id, row.states.name)).collect())
}
