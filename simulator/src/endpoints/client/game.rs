//! The part of the page in which the person plays a game of the guild.

use std::fmt::Write as _;

use super::visit::Visit;
use crate::game::Screen;
use crate::html::{escaped, option};

/// Names of players, from the highest id on.
const SUGGESTED: usize = 100;

pub(super) fn draw(visit: &Visit<'_>) -> String {
    let name = visit.player.as_ref().map_or("", |(_, name)| name);
    let mut html = choice(visit, name);
    let Some((id, _)) = &visit.player else { return html };
    html.push_str(&screen(visit));
    let profile = visit.state.profiles.get(id).map_or("", |profile| &profile.description);
    let _ = write!(
        html,
        "<form method=\"post\" action=\"{}\"><label>About, in the profile of {}<textarea name=\"profile\" rows=\"3\">{}</textarea>\
         </label><button>Save</button></form>",
        visit.address(),
        escaped(name),
        escaped(profile)
    );
    html
}

fn choice(visit: &Visit<'_>, name: &str) -> String {
    let mut names: Vec<_> = visit.state.names.iter().collect();
    // In a fixture those without a link come last.
    names.sort_unstable_by(|a, b| b.0.cmp(a.0));
    let suggested: String = names.iter().take(SUGGESTED).map(|(_, name)| option(name, "", false)).collect();
    let hidden = "<input type=\"hidden\" name=";
    format!(
        "<form action=\"/client#game\">{hidden}\"guild\" value=\"{}\">{hidden}\"user\" value=\"{}\"><label>You play as \
         <input name=\"player\" value=\"{}\" list=\"players\" placeholder=\"Roblox name\" required autocomplete=\"off\">\
         </label><datalist id=\"players\">{suggested}</datalist> <button>Play</button></form>",
        visit.guild_id,
        visit.user,
        escaped(name)
    )
}

fn screen(visit: &Visit<'_>) -> String {
    let form = format!("<form method=\"post\" action=\"{}\">", visit.address());
    match &visit.screen {
        Screen::Code => code_form(&form),
        Screen::Says(text) => format!("<p role=\"status\">{}</p>{}", escaped(text), code_form(&form)),
        Screen::Question { code, name } => format!(
            "{form}<p>Link {} with your account?</p><input type=\"hidden\" name=\"code\" value=\"{}\">\
             <button name=\"agrees\" value=\"yes\">Yes</button> <a class=\"button\" href=\"{}\">No</a></form>",
            escaped(name),
            escaped(code),
            visit.address()
        ),
    }
}

fn code_form(form: &str) -> String {
    format!(
        "{form}<label>Code <input name=\"code\" required autocomplete=\"off\"></label><button>Send</button></form>"
    )
}
