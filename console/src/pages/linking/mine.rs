//! /link: what a member has proven, and which guilds know it.

use askama::Template;
use entities::{GuildId, PlayId, account, guild, link};
use http::{Method, StatusCode};
use platforms::PictureOf;
use serde_json::Map;

use super::call;
use super::picture::Picture;
use crate::html::format::{Count, When};
use crate::html::shell::Shell;
use crate::pages::applying::open_to;
use crate::response::{Flash, PageError, Response};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "linking/mine.html")]
struct Page {
    shell: Shell,
    proven: Option<Proven>,
    links: Vec<Known>,
    count: Count<usize>,
}

struct Proven {
    name: String,
    play: PlayId,
    /// Of a guild of the member's: the platform is asked for one of them. `None`: there is no guild.
    picture: Option<Picture>,
    at: When,
}

/// A guild that knows the account.
struct Known {
    url: String,
    /// Where the member applies for what the guild offers now.
    apply: Option<String>,
    guild: String,
    icon: Picture,
    picture: Picture,
    name: String,
    since: When,
    by: &'static str,
}

pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    let (conn, user) = (visit.read(), visit.session.row.user_id);
    let mut links = link::of_chat(conn, user).await?;
    // A link from the command line opens one guild.
    let only = visit.session.row.guild_id;
    links.retain(|link| only.is_none_or(|only| only == link.guild_id));
    let of = |guild: GuildId, play: PlayId, name: &str| Picture::new(guild, PictureOf::Player(play), name);
    let some_guild = only.or(links.first().map(|link| link.guild_id));
    let proven = account::find(conn, user).await?.map(|account| Proven {
        picture: some_guild.map(|guild| of(guild, account.play_id, &account.play_username)),
        name: account.play_username,
        play: account.play_id,
        at: visit.when(account.proven_at),
    });
    let names = guild::names(conn, links.iter().map(|link| link.guild_id).collect()).await?;
    let open = open_to(&visit, &links.iter().map(|link| link.guild_id).collect::<Vec<_>>()).await?;
    let known = |link: link::Model| {
        let guild = names.get(&link.guild_id)?.clone();
        let by = match link.source {
            link::Source::Member => "by you",
            link::Source::Staff => "by staff",
            link::Source::Import => "by an import",
            link::Source::Api => "by a bot of the server",
        };
        let (url, since) = (format!("/link/{}", link.guild_id), visit.when(link.verified_at));
        let apply = open.contains(&link.guild_id).then(|| format!("/apply/{}", link.guild_id));
        let icon = Picture::new(link.guild_id, PictureOf::Guild(link.guild_id), &guild);
        let picture = of(link.guild_id, link.play_id, &link.play_username);
        Some(Known { url, apply, guild, icon, picture, name: link.play_username, since, by })
    };
    let links: Vec<_> = links.into_iter().filter_map(known).collect();
    let count = Count(links.len(), "link");
    Response::page(&Page { shell: visit.shell("Your accounts"), proven, links, count })
}

/// The address of the form below, which a browser opens again.
#[expect(clippy::unused_async, reason = "all pages have one form")]
pub(crate) async fn of_form(_: Visit) -> Result<Response, PageError> {
    Ok(Response::see("/link"))
}

/// Ends the links that the member made, and forgets the proof.
pub(crate) async fn forget(visit: Visit) -> Result<Response, PageError> {
    let user = visit.session.row.user_id;
    if visit.session.row.guild_id.is_some() {
        return Err(PageError::NotFound);
    }
    for link in link::of_chat(visit.read(), user).await? {
        let path = format!("/guilds/{{g}}/links/{user}");
        let answer = call(&visit, link.guild_id, Method::DELETE, &path, Map::new()).await;
        // Another tab was faster.
        if !answer.status.is_success() && answer.status != StatusCode::NOT_FOUND {
            let text =
                format!("Some servers still know your account: {}. Try again in a minute.", answer.message());
            return Ok(Response::see("/link").flash(Flash::new(text)));
        }
    }
    account::forget(visit.context().database.write(), user).await?;
    let text = "Unlinked in all servers. What you have proven is forgotten.";
    Ok(Response::see("/link").flash(Flash::new(text)))
}
