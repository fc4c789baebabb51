//! /console/guilds/:guild/members: all members with linked accounts, by name.

pub(crate) mod act;
pub(crate) mod attempts;
pub(crate) mod link_up;
mod links;
pub(crate) mod member;
mod records;
mod roles;
mod seen;
mod unlinked;

use std::collections::HashMap;

use askama::Template;
use entities::link_search::{self, Key};
use entities::{ChatId, Person, Sorted, Subject, link};

use super::by_discord_name::ByDiscordName;
use super::candidates::in_force;
use super::former::{self, Former};
use super::moderation::Kind;
use super::people::Who;
use crate::html::format::{Count, When};
use crate::html::list::{Column, sorted};
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;
use seen::Seen;

/// Members of one page.
const SHOWN: u64 = 25;
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
    /// Where nobody is found: who was linked.
    former: Vec<Former>,
    /// The query of the next page.
    more: Option<String>,
}

struct Row {
    who: Who,
    seen: Seen,
    /// Marks: the colour's name and the word.
    standing: Vec<(&'static str, &'static str)>,
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
    let former = if links.is_empty() { former::find(&visit, &typed).await? } else { Vec::new() };
    let mut seen = Seen::read(&visit, &links).await?;
    let standing = standing(&visit, &links).await?;
    visit.platforms().pictures.prepare(visit.call_context(), links.iter().map(|link| link.play_id));
    let row = |link: &link::Model| {
        let seen = seen.remove(&link.chat_id).unwrap_or_default();
        let sanctions = standing.get(&link.chat_id).cloned().unwrap_or_default();
        let out_of_step = seen.is_out_of_step.then_some(("warning", "out of step"));
        Row {
            who: Who::linked(&visit, link),
            standing: sanctions.into_iter().chain(out_of_step).collect(),
            linked: visit.when(link.verified_at),
            seen,
        }
    };
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
        former,
        more: last.map(|last| visit.query.with("after", &last)),
    };
    Response::page(&page)
}

/// The words for the bans and mutes in force, by member.
async fn standing(
    visit: &GuildVisit,
    links: &[link::Model],
) -> Result<HashMap<ChatId, Vec<(&'static str, &'static str)>>, PageError> {
    let people: Vec<_> = links.iter().map(Person::from).collect();
    let active = in_force(visit, &people).await?;
    let of_member = |link: &link::Model| {
        let own = active.iter().filter(|row| {
            row.subject()
                .is_some_and(|of| [Subject::Chat(link.chat_id), Subject::Play(link.play_id)].contains(&of))
        });
        let mut words: Vec<_> = own.map(|row| ("bad", Kind(row.kind).done())).collect();
        words.dedup();
        (link.chat_id, words)
    };
    Ok(links.iter().map(of_member).collect())
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
