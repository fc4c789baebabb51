//! The page on which a person plays the chat client: `GET /client?guild=…&user=…`. It shows the guild's channel and the direct
//! messages as that person sees them; commands, buttons, selects and modals are forms, and so is a game.

mod controls;
mod game;
mod markup;
mod messages;
mod page;
mod visit;

use serde_json::{Map, Value};

use self::visit::{Visit, encoded};
use crate::endpoints::game as playing;
use crate::game::Screen;
use crate::handler::Pending;
use crate::interactions::{self, InteractionForm};
use crate::pairs::{all_pairs, pairs};
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;

pub(crate) fn show(simulator: &Simulator, input: &Input) -> Reply {
    drawn(simulator, input, (200, ""), Screen::default())
}

fn drawn(simulator: &Simulator, input: &Input, (status, alert): (u16, &str), screen: Screen) -> Reply {
    let state = simulator.state();
    match Visit::read(&state, input) {
        Some(visit) => Reply::page(status, page::draw(&Visit { screen, ..visit }, alert)),
        None => Reply::page(404, page::unknown()),
    }
}

/// `POST /client`: what the person does in the game, or one interaction; then the page again.
pub(crate) fn act<'a>(simulator: &'a Simulator, input: &'a Input) -> Pending<'a> {
    Box::pin(async move {
        let mut form = pairs(&String::from_utf8_lossy(&input.body));
        if let Some(code) = form.remove("code") {
            let screen = playing::type_code(simulator, input, &code, form.contains_key("agrees")).await;
            return drawn(simulator, input, (200, ""), screen);
        }
        if let Some(text) = form.remove("profile") {
            playing::write_profile(&mut simulator.state_mut(), input, lines(&text));
            return Reply::redirect(&back(input, "#game"));
        }
        match interactions::send(simulator, &read(input)).await {
            Ok(report) => {
                let last = report["interaction_id"].as_str().unwrap_or_default();
                Reply::redirect(&back(input, &format!("&last={last}#end")))
            }
            Err(why) => drawn(simulator, input, (400, &why), Screen::default()),
        }
    })
}

/// The page of the same person and player.
fn back(input: &Input, rest: &str) -> String {
    let part = |name| encoded(input.query(name).unwrap_or_default());
    format!("/client?guild={}&user={}&player={}{rest}", part("guild"), part("user"), part("player"))
}

/// Browsers end lines with both characters.
fn lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Fields of options and of modals begin with `option.` and `field.`, chosen values of modals with `choice.`. An option that is left empty is absent.
fn read(input: &Input) -> InteractionForm {
    let mut form = InteractionForm {
        guild_id: input.query("guild").and_then(|id| id.parse().ok()),
        user_id: input.query("user").and_then(|id| id.parse().ok()),
        ..InteractionForm::default()
    };
    let text = |map: &mut Map<String, Value>, name: &str, value| {
        map.insert(name.to_owned(), Value::String(value));
    };
    for (name, value) in all_pairs(&String::from_utf8_lossy(&input.body)) {
        match name.as_str() {
            "command" => form.command = Some(value),
            "message" => form.message_id = value.parse().ok(),
            "press" => form.press = Some(value),
            "values" => form.values.get_or_insert_default().push(value),
            "interaction" => form.interaction_id = value.parse().ok(),
            "submit" => form.submit = Some(value),
            _ => match name.split_once('.') {
                Some(("option", option)) if !value.is_empty() => text(&mut form.options, option, value),
                Some(("choice", field)) if !value.is_empty() => {
                    let chosen = form.fields.entry(field).or_insert_with(|| Value::Array(Vec::new()));
                    chosen.as_array_mut().into_iter().for_each(|all| all.push(value.clone().into()));
                }
                Some(("field", field)) => text(&mut form.fields, field, lines(&value)),
                _ => {}
            },
        }
    }
    form
}
