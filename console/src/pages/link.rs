//! /console/link/:secret: signs in once, from `guildhall console link`. Programs that preview links only GET,
//! which does not use it up.

use askama::Template;
use entities::{console_link, guild};
use http::StatusCode;

use crate::guard::secret::ConsoleSecret;
use crate::guard::session::{self, Arrival};
use crate::html::shell::Shell;
use crate::response::{PageError, Response};
use crate::state::Console;
use crate::visit::Guest;

const COMMAND: &str = "guildhall console link --guild YOUR_SERVER_ID";

#[derive(Template)]
#[template(path = "link.html")]
struct Page {
    shell: Shell,
    /// `None`: the link is used, too old or wrong.
    link: Option<Link>,
    command: LinkCommand,
}

/// The command that prints a link.
pub(crate) struct LinkCommand {
    pub(crate) text: String,
    /// The person replaces the server's id in it.
    pub(crate) for_any_server: bool,
}

impl LinkCommand {
    pub(crate) fn of(console: &Console) -> Self {
        let given = console.ways_in.link_command.clone();
        let for_any_server = given.is_none();
        Self { text: given.unwrap_or_else(|| COMMAND.to_owned()), for_any_server }
    }
}

struct Link {
    user_name: String,
    guild_name: String,
}

pub(crate) async fn get(guest: Guest) -> Result<Response, PageError> {
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
    show(&guest, link)
}

fn show(guest: &Guest, link: Option<Link>) -> Result<Response, PageError> {
    let (title, status) = match link {
        Some(_) => ("Sign in", StatusCode::OK),
        None => ("This link no longer works", StatusCode::NOT_FOUND),
    };
    let page =
        Page { shell: Shell::bare(title, guest.headers()), link, command: LinkCommand::of(&guest.console) };
    Ok(Response::page(&page)?.status(status))
}

pub(crate) async fn post(guest: Guest) -> Result<Response, PageError> {
    let secret = ConsoleSecret::parse(&guest.param::<String>("secret")?);
    let (conn, now) = (guest.context().database.write(), guest.now());
    let taken = match secret {
        Some(secret) => console_link::take(conn, &secret.hash(), now).await?,
        None => None,
    };
    let Some(link) = taken else {
        return show(&guest, None);
    };
    let arrival = Arrival {
        user: link.user_id,
        user_name: link.user_name,
        guild: Some(link.guild_id),
        manages: Vec::new(),
        admin: link.admin,
        operator: link.operator,
    };
    let cookie = session::open(&guest.console, arrival, guest.headers(), guest.request.address, now).await?;
    Ok(Response::see(format!("/console/guilds/{}", link.guild_id)).cookie(cookie))
}
