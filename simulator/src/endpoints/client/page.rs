//! The page as HTML, without scripts.

use std::fmt::Write as _;

use super::visit::{Visit, name, people};
use super::{controls, game, messages};
use crate::html::{escaped, option};
use crate::message::Message;

const STYLE: &str = include_str!("client.css");
/// Messages shown of the channel.
const SHOWN: usize = 50;

pub(super) fn draw(visit: &Visit<'_>, alert: &str) -> String {
    let conversations = &visit.state.conversations;
    let visible = |message: &&Message| message.is_visible_to(visit.user);
    let channel = crate::state::Guild::general(visit.guild_id);
    let general: Vec<&Message> =
        channel.into_iter().flat_map(|id| conversations.in_channel(id)).filter(visible).collect();
    let general = &general[general.len().saturating_sub(SHOWN)..];
    let direct = conversations.direct.get(&visit.user).copied();
    let direct: Vec<&Message> = direct.into_iter().flat_map(|id| conversations.in_channel(id)).collect();
    let thinks = general.iter().chain(&direct).any(|message| message.thinking);
    let refresh = if thinks { "<meta http-equiv=\"refresh\" content=\"1\">" } else { "" };
    let seen = visit.last.and_then(|last| conversations.seen(last)).unwrap_or_default();
    let failed = seen["failed"].as_str().map(|why| format!("The interaction failed: {why}"));
    let alert = failed.as_deref().unwrap_or(alert);
    let alert =
        if alert.is_empty() { String::new() } else { format!("<p role=\"alert\">{}</p>", escaped(alert)) };
    let mut main = format!("<h1>{}</h1>{}", escaped(&visit.guild.name), persons(visit));
    section(&mut main, "Direct messages", &messages::list(visit, &direct));
    let modal = controls::modal(visit, &seen);
    let channel = messages::list(visit, general);
    section(
        &mut main,
        "# general",
        &format!("{channel}{alert}{modal}{}<p id=\"end\"></p>", controls::commands(visit)),
    );
    section(&mut main, "In the game", &format!("<div id=\"game\">{}</div>", game::draw(visit)));
    document(refresh, &main)
}

pub(super) fn unknown() -> String {
    document("", "<h1>Chat client</h1><p role=\"alert\">There is no such guild, or no such member.</p>")
}

fn section(main: &mut String, title: &str, content: &str) {
    let _ = write!(main, "<section><h2>{title}</h2>{content}</section>");
}

fn persons(visit: &Visit<'_>) -> String {
    let mut options = String::new();
    for (id, member) in people(visit.guild) {
        let role = if member.roles.is_empty() { " (no role)" } else { "" };
        let label = format!("{}{role}", name(id, member));
        options.push_str(&option(&id.to_string(), &label, id == visit.user));
    }
    let held = visit.member.roles.iter().filter_map(|id| visit.guild.roles.get(id));
    let held: Vec<&str> = held.map(|role| role.name.as_str()).collect();
    let held = if held.is_empty() { "none".to_owned() } else { held.join(", ") };
    format!(
        "<form action=\"/client\"><input type=\"hidden\" name=\"guild\" value=\"{}\"><label>You are \
         <select name=\"user\">{options}</select></label> <button>Change</button></form><p>Your roles: {}</p>",
        visit.guild_id,
        escaped(&held)
    )
}

fn document(head: &str, main: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Simulated chat client</title>\
         <meta name=\"viewport\" content=\"width=device-width\">{head}<style>{STYLE}</style></head>\
         <body><main>{main}</main></body></html>"
    )
}
