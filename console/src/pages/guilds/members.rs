//! /console/guilds/:guild/members: all members with linked accounts, by name.

pub(crate) mod act;
pub(crate) mod attempts;
pub(crate) mod link_up;
mod links;
pub(crate) mod member;
mod roles;
mod synced;

use askama::Template;
use entities::link_search::{self, Key};
use entities::{ChatId, Sorted, Subject, link};

use super::by_discord_name::ByDiscordName;
use super::people::Who;
use crate::html::format::{Count, When};
use crate::html::list::{Column, sorted};
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// Members of one page.
const SHOWN: u64 = 50;
/// The columns that sort the list, as the address names them.
const COLUMNS: [(&str, &str, Key); 2] = [("name", "Member", Key::Name), ("linked", "Linked", Key::Linked)];

#[derive(Template)]
#[template(path = "guilds/members/list.html")]
struct Page {
    shell: Shell,
    typed: String,
    /// Where a member is linked, for people who may.
    link_url: Option<String>,
    import_url: String,
    total: Count<u64>,
    columns: [Column; 2],
    is_sorted: bool,
    rows: Vec<Row>,
    by_discord_name: ByDiscordName,
    /// The query of the next page.
    more: Option<String>,
}

struct Row {
    who: Who,
    linked: When,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let typed = visit.query.text("q").to_owned();
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let (sorted, columns) = sorted(&visit.query, COLUMNS);
    let mut links = found(&visit, &typed, sorted).await?;
    let has_more = links.len() as u64 > SHOWN;
    links.truncate(usize::try_from(SHOWN).unwrap_or(usize::MAX));
    let last = links.last().filter(|_| has_more).map(|link| link.chat_id.to_string());
    // The first page has them.
    let by_discord_name = if visit.query.has("after") {
        ByDiscordName::default()
    } else {
        ByDiscordName::read(&visit, &typed).await?
    };
    let row =
        |link: &link::Model| Row { who: Who::linked(&visit, link), linked: visit.when(link.verified_at) };
    let page = Page {
        shell: visit.shell("Members", Place::Members),
        typed,
        link_url: visit.may("links.write").then(|| visit.url("/members/link")),
        import_url: visit.url("/members/import"),
        total: Count(link::count(conn, guild).await?, "linked member"),
        columns,
        is_sorted: visit.query.has("sort"),
        rows: links.iter().map(row).collect(),
        by_discord_name,
        more: last.map(|last| visit.query.with("after", &last)),
    };
    Response::page(&page)
}

/// One more than a page of members whose id or a part of whose name was typed.
async fn found(visit: &GuildVisit, typed: &str, sorted: Sorted<Key>) -> Result<Vec<link::Model>, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let by_id = match typed.parse() {
        Ok(Subject::Chat(chat)) => link::find_by_chat(conn, guild, chat).await?,
        Ok(Subject::Play(play)) => link::find_by_play(conn, guild, play).await?,
        Err(_) => None,
    };
    if let Some(link) = by_id {
        return Ok(vec![link]);
    }
    let after = match visit.query.read::<ChatId>("after") {
        Some(chat) => link::find_by_chat(conn, guild, chat).await?,
        None => None,
    };
    let part = (after.as_ref(), SHOWN + 1);
    Ok(link_search::containing(conn, guild, typed, sorted, part).await?)
}
