//! What people prove their game account with: connections of their chat account, their profile, and
//! ID tokens of the game platform, whose keys change.

use entities::{ChatId, PlayId, Timestamp};
use serde::Deserialize;

use super::change;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::state::Connection;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConnectionsForm {
    chat_id: ChatId,
    connections: Vec<Connection>,
}

/// `POST /control/connections`: all connections of a chat account, in place of its former ones.
pub(crate) fn change_connections(simulator: &Simulator, input: &Input) -> Reply {
    change(input, |form: ConnectionsForm| {
        let mut state = simulator.state_mut();
        if !state.users.contains(&form.chat_id) {
            return Err("chat_id: unknown user".to_owned());
        }
        state.connections.insert(form.chat_id, form.connections);
        Ok(())
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileForm {
    play_id: PlayId,
    description: Option<String>,
    created_at: Option<Timestamp>,
}

/// `POST /control/profiles`: the text in a user's profile, and when the account was created. Absent fields stay
/// unchanged.
pub(crate) fn change_profile(simulator: &Simulator, input: &Input) -> Reply {
    change(input, |form: ProfileForm| {
        let mut state = simulator.state_mut();
        let (_, mut profile) = state.player(form.play_id).ok_or("play_id: unknown user")?;
        profile.description = form.description.unwrap_or(profile.description);
        profile.created = form.created_at.unwrap_or(profile.created);
        state.profiles.insert(form.play_id, profile);
        Ok(())
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeysForm {
    /// The keys that signed so far are no longer published.
    #[serde(default)]
    withdraw: bool,
}

/// `POST /control/keys`: another key signs ID tokens from now on.
pub(crate) fn rotate_keys(simulator: &Simulator, input: &Input) -> Reply {
    change(input, |form: KeysForm| {
        let rotated = simulator.records().signing_keys.rotate(form.withdraw);
        rotated.map_err(|_| "no key could be generated".to_owned())
    })
}
