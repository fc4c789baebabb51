//! Accounts on other platforms that people connect with their chat account, and which of them prove something.

use serde::Deserialize;

use crate::play::Player;

/// The game platform among the types of connections.
const GAME_PLATFORM: &str = "roblox";

/// One of `GET /users/@me/connections`.
#[derive(Deserialize)]
pub(super) struct ConnectionBody {
    /// On its own platform.
    id: String,
    name: String,
    #[serde(rename = "type")]
    platform: String,
    /// The person has signed in there.
    verified: bool,
    /// That sign-in was taken back.
    #[serde(default)]
    revoked: bool,
}

/// The accounts on the game platform that the chat platform vouches for.
pub(super) fn proven(connections: Vec<ConnectionBody>) -> Vec<Player> {
    let counts = |one: &ConnectionBody| one.platform == GAME_PLATFORM && one.verified && !one.revoked;
    let player =
        |one: ConnectionBody| Some(Player { id: one.id.parse().ok()?, name: one.name, created_at: None });
    connections.into_iter().filter(counts).filter_map(player).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_verified_connection_that_was_not_taken_back_proves_an_account() {
        let body = r#"[
            {"id":"156","name":"builderman","type":"roblox","verified":true,"revoked":false,"visibility":1},
            {"id":"157","name":"without","type":"roblox","verified":true},
            {"id":"158","name":"claimed","type":"roblox","verified":false},
            {"id":"159","name":"gone","type":"roblox","verified":true,"revoked":true},
            {"id":"160","name":"other","type":"steam","verified":true},
            {"id":"x","name":"no id","type":"roblox","verified":true}]"#;
        let players = proven(serde_json::from_str(body).unwrap());
        let shown: Vec<_> = players.iter().map(|player| (player.id.get(), player.name.as_str())).collect();
        assert_eq!(shown, [(156, "builderman"), (157, "without")]);
    }
}
