//! /console/link/:secret: signs in once, from `guildhall console link`. Programs that preview links only GET: that uses
//! nothing up.

use askama::Template;
use entities::{console_link, guild};
use http::StatusCode;

use crate::answer::{Answer, PageError};
use crate::secret::ConsoleSecret;
use crate::session::{self, Arrival};
use crate::shell::Shell;
use crate::visit::Guest;

#[derive(Template)]
#[template(path = "link.html")]
struct Page {
    shell: Shell,
    /// `None`: the link is used, too old or wrong.
    link: Option<Link>,
}

struct Link {
    user_name: String,
    guild_name: String,
}

pub(crate) async fn get(guest: Guest) -> Result<Answer, PageError> {
    let secret = ConsoleSecret::parse(&guest.param::<String>("secret")?);
    let row = match secret {
        Some(secret) => console_link::find(guest.read(), &secret.hash(), guest.now()).await?,
        None => None,
    };
    let link = match row {
        Some(row) => guild::find(guest.read(), row.guild_id)
            .await?
            .map(|guild| Link { user_name: row.user_name, guild_name: guild.name }),
        None => None,
    };
    let status = if link.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
    Ok(Answer::page(&Page { shell: Shell::bare("Sign in"), link })?.status(status))
}

pub(crate) async fn post(guest: Guest) -> Result<Answer, PageError> {
    let secret = ConsoleSecret::parse(&guest.param::<String>("secret")?);
    let (conn, now) = (guest.context().database.write(), guest.now());
    let taken = match secret {
        Some(secret) => console_link::take(conn, &secret.hash(), now).await?,
        None => None,
    };
    let Some(link) = taken else {
        let page = Page { shell: Shell::bare("Sign in"), link: None };
        return Ok(Answer::page(&page)?.status(StatusCode::NOT_FOUND));
    };
    let arrival = Arrival {
        user: link.user_id,
        user_name: link.user_name,
        guild: Some(link.guild_id),
        operator: link.operator,
    };
    let cookie = session::open(&guest.console, arrival, guest.headers(), guest.request.address, now).await?;
    Ok(Answer::see(format!("/console/guilds/{}", link.guild_id)).cookie(cookie))
}
