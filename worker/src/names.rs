//! Current names of players. Players rename themselves, so every sync reads the names again.
//!
//! A failed names call never fails a sync: the stored name stays.

use std::collections::HashMap;
use std::time::Duration;

use entities::PlayId;
use entities::link::{self, Renamed};
use platforms::{CallContext, PlayNames, PlayPlatform};

/// Longest wait for a name in a sync with a waiting caller.
const WAIT_LIMIT: Duration = Duration::from_secs(3);

/// Current names, as far as the platform returns them.
pub(crate) async fn current(
    play: &PlayPlatform,
    call: CallContext,
    players: &[PlayId],
) -> HashMap<PlayId, PlayNames> {
    match play.names(call, players).await {
        Ok(names) => names.into_iter().filter(|(_, names)| !names.name.trim().is_empty()).collect(),
        Err(error) => {
            tracing::warn!(%error, "cannot read current names, keeping the stored ones");
            HashMap::new()
        }
    }
}

/// The current names of one player, for a sync with a waiting caller.
pub(crate) async fn of_player(play: &PlayPlatform, call: CallContext, player: PlayId) -> Option<PlayNames> {
    let names = tokio::time::timeout(WAIT_LIMIT, current(play, call, &[player])).await;
    names.unwrap_or_default().remove(&player)
}

pub(crate) fn difference(link: &link::Model, current: Option<&PlayNames>) -> Option<Renamed> {
    let PlayNames { name, .. } = current.filter(|current| current.name != link.play_username)?;
    Some(Renamed { chat: link.chat_id, play: link.play_id, name: name.clone() })
}
