//! What a person does in a game of the guild: they type codes as a player, whose profile they edit.

use std::time::Duration;

use entities::PlayId;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::endpoints::control;
use crate::game::{Game, Screen};
use crate::outgoing;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::state::SimulatorState;

/// As a game server waits.
const PATIENCE: Duration = Duration::from_secs(30);
const NOT_SET_UP: &str = "The games send codes nowhere: POST /control/game says where.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GameForm {
    api_url: String,
    key: String,
}

/// `POST /control/game`: sets it, once for all players.
pub(crate) fn set_up(simulator: &Simulator, input: &Input) -> Reply {
    control::change(input, |GameForm { api_url, key }: GameForm| {
        let game = Game::of(&api_url, key).ok_or("api_url: not an http address of this machine")?;
        simulator.records().game = Some(game);
        Ok(())
    })
}

/// A player by name, as people write it.
pub(crate) fn player(state: &SimulatorState, input: &Input) -> Option<(PlayId, String)> {
    let wanted = input.query("player")?;
    let mut names = state.names.iter();
    names.find(|(_, name)| name.eq_ignore_ascii_case(wanted)).map(|(id, name)| (*id, name.to_string()))
}

/// The player types a code, or answers the question.
pub(crate) async fn type_code(simulator: &Simulator, input: &Input, code: &str, agrees: bool) -> Screen {
    ask(simulator, input, code, agrees).await.unwrap_or_else(|why| Screen::Says(why.to_owned()))
}

async fn ask(simulator: &Simulator, input: &Input, code: &str, agrees: bool) -> Result<Screen, &'static str> {
    let (id, name) = player(&simulator.state(), input).ok_or("There is no such player.")?;
    let Game { confirm, key } = simulator.records().game.clone().ok_or(NOT_SET_UP)?;
    let body = json!({ "code": code, "play_id": id, "play_username": name, "confirm": agrees }).to_string();
    let headers = [("x-api-key", key)];
    let asked = tokio::time::timeout(PATIENCE, outgoing::post(&confirm, &headers, body.into())).await;
    let (_, body) = asked.ok().and_then(Result::ok).ok_or("The game gets no answer.")?;
    let answer: Value =
        serde_json::from_slice(&body).map_err(|_| "The game does not understand the answer.")?;
    let (data, refusal) = (&answer["data"], answer["message"].as_str());
    Ok(match (data["chat_name"].as_str(), &data["ended"]) {
        (None, _) => Screen::Says(refusal.unwrap_or("The code was refused.").to_owned()),
        (Some(name), Value::Null) => Screen::Question { code: code.to_owned(), name: name.to_owned() },
        (Some(name), ended) => Screen::Says(outcome(name, ended)),
    })
}

fn outcome(name: &str, ended: &Value) -> String {
    let why = ended["reason"].as_str().unwrap_or("the rules of the guild say so");
    match (ended["attempt"]["outcome"].as_str(), ended["attempt"]["state"].as_str()) {
        (Some("linked"), _) => format!("Linked with {name}."),
        (_, Some("held")) => format!("Staff decide about the link with {name}: {why}."),
        _ => format!("Not linked with {name}: {why}."),
    }
}

/// The text that the person gives the player's profile.
pub(crate) fn write_profile(state: &mut SimulatorState, input: &Input, text: String) {
    let Some((id, _)) = player(state, input) else { return };
    let mut profile = state.profiles.get(&id).cloned().unwrap_or_default();
    profile.description = text;
    state.profiles.insert(id, profile);
}
