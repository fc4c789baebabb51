//! Current names of players. Players rename themselves, so every sync reads the names again.
//!
//! A failed names call never fails a sync: the stored name stays.

use std::collections::HashMap;
use std::time::Duration;

use entities::{ChatId, GuildId, PlayId, link};
use platforms::{CallContext, PlayPlatform};
use sea_orm::{ConnectionTrait, DbErr};

/// Longest wait for a name in a sync with a waiting caller.
const WAIT_LIMIT: Duration = Duration::from_secs(3);

/// A linked player whose name differs from the stored one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Renamed {
    pub(crate) chat: ChatId,
    pub(crate) play: PlayId,
    pub(crate) name: String,
}

/// Current names that the platform returns within the timeout; `None`: no timeout.
pub(crate) async fn current(
    play: &PlayPlatform,
    call: CallContext,
    players: &[PlayId],
    patience: Option<Duration>,
) -> HashMap<PlayId, String> {
    if players.is_empty() {
        return HashMap::new();
    }
    let asked = play.usernames(call, players);
    let answer = match patience {
        Some(patience) => tokio::time::timeout(patience, asked).await.ok(),
        None => Some(asked.await),
    };
    match answer {
        Some(Ok(names)) => names.into_iter().filter(|(_, name)| !name.trim().is_empty()).collect(),
        Some(Err(error)) => {
            tracing::warn!(guild.id = %call.guild, %error, "cannot read current names, keeping the stored ones");
            HashMap::new()
        }
        None => HashMap::new(),
    }
}

/// The current name of one player, if it differs from the stored one.
pub(crate) async fn renamed(play: &PlayPlatform, call: CallContext, link: &link::Model) -> Option<Renamed> {
    difference(link, &current(play, call, &[link.play_id], Some(WAIT_LIMIT)).await)
}

pub(crate) fn difference(link: &link::Model, current: &HashMap<PlayId, String>) -> Option<Renamed> {
    let name = current.get(&link.play_id).filter(|name| **name != link.play_username)?;
    Some(Renamed { chat: link.chat_id, play: link.play_id, name: name.clone() })
}

/// Writes new names to the links, except to links replaced meanwhile.
pub(crate) async fn store<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    renamed: &[Renamed],
) -> Result<(), DbErr> {
    for one in renamed {
        link::rename(conn, guild, one.chat, one.play, &one.name).await?;
    }
    Ok(())
}
