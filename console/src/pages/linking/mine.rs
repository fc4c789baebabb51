//! /link: what a member has proven, and which guilds know it.

use askama::Template;
use entities::{account, guild, link};
use http::{Method, StatusCode};
use serde_json::Map;

use super::call;
use crate::html::format::When;
use crate::html::shell::Shell;
use crate::response::{Flash, PageError, Response};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "linking/mine.html")]
struct Page {
    shell: Shell,
    proven: Option<Proven>,
    links: Vec<Known>,
}

struct Proven {
    name: String,
    play: String,
    at: When,
}

/// A guild that knows the account.
struct Known {
    url: String,
    guild: String,
    name: String,
    since: When,
    by: &'static str,
}

pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    let (conn, user) = (visit.read(), visit.session.row.user_id);
    let proven = account::find(conn, user).await?.map(|account| Proven {
        name: account.play_username,
        play: account.play_id.to_string(),
        at: visit.when(account.proven_at),
    });
    let mut links = link::of_chat(conn, user).await?;
    // A link from the command line opens one guild.
    let only = visit.session.row.guild_id;
    links.retain(|link| only.is_none_or(|only| only == link.guild_id));
    let names = guild::names(conn, links.iter().map(|link| link.guild_id).collect()).await?;
    let known = |link: link::Model| {
        let guild = names.get(&link.guild_id)?.clone();
        let by = match link.source {
            link::Source::Member => "by you",
            link::Source::Staff => "by staff",
            link::Source::Import => "by an import",
            link::Source::Api => "by a bot of the server",
        };
        let (url, since) = (format!("/link/{}", link.guild_id), visit.when(link.verified_at));
        Some(Known { url, guild, name: link.play_username, since, by })
    };
    let links = links.into_iter().filter_map(known).collect();
    Response::page(&Page { shell: visit.shell("Your accounts"), proven, links })
}

/// Ends the links that the member made, and forgets the proof.
pub(crate) async fn forget(visit: Visit) -> Result<Response, PageError> {
    let user = visit.session.row.user_id;
    if visit.session.row.guild_id.is_some() {
        return Err(PageError::NotFound);
    }
    for link in link::of_chat(visit.read(), user).await? {
        let path = format!("/links/{user}");
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
