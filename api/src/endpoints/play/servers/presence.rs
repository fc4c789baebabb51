//! A game server is there: its row, and the time it was last heard.

use std::time::Duration;

use entities::Page;
use entities::game_server::{self, Filter, Heartbeat};
use runtime::Event;

use crate::cache::caches::Heard;
use crate::cache::commands::OwnServer;
use crate::endpoints::prelude::*;

/// Most players of a server.
pub(crate) const PLAYERS_MAX: i32 = 100_000;
/// Offline servers deleted at a time to get below the cap.
const FORGOTTEN: u64 = 100;

/// Records the heartbeat, at once if the server is not known. An async function would hold it twice.
pub(crate) fn hear(call: &Call, heartbeat: Heartbeat) -> impl Future<Output = Result<(), ApiError>> + '_ {
    let server = (heartbeat.guild, heartbeat.server.clone());
    let (known, at) = (&call.state.caches.known_servers, heartbeat.at);
    let before = known.get(&server);
    let listed = heartbeat.players.as_ref().map(|_| at).or(before.and_then(|before| before.listed));
    let new = if before.is_some() {
        call.state.heartbeats.note_server(heartbeat);
        None
    } else {
        // Boxed, because most heartbeats do not run it.
        Some(Box::pin(make_known(call, heartbeat)))
    };
    async move {
        if let Some(new) = new {
            new.await?;
        }
        known.insert(server, Heard { at, listed });
        Ok(())
    }
}

/// Whether the server was not heard within this time, or did not list its players, if it does now.
pub(crate) fn is_due(call: &Call, server: &OwnServer, lists: bool, interval: Duration) -> bool {
    let known = call.state.caches.known_servers.get(server);
    let last = known.and_then(|heard| if lists { heard.listed } else { Some(heard.at) });
    last.is_none_or(|last| call.now() >= last + interval)
}

async fn make_known(call: &Call, heartbeat: Heartbeat) -> Result<(), ApiError> {
    admit(call, &heartbeat.server).await?;
    game_server::heartbeat(call.state.context.database.write(), &[heartbeat]).await?;
    Ok(())
}

/// A new server must fit the guild's row cap; offline servers are deleted for it.
async fn admit(call: &Call, server: &str) -> Result<(), ApiError> {
    if game_server::find(call.read(), call.guild(), server).await?.is_some() {
        return Ok(());
    }
    let Err(refusal) = call.room_for(call.read(), Cap::GameServers, 1).await else { return Ok(()) };
    // Checked before the deletion, so that a refusal writes nothing.
    let offline = Filter { live: Some(false), place: None };
    if game_server::list(call.read(), call.guild(), offline, Page::first(1), call.now()).await?.is_empty() {
        return Err(refusal);
    }
    forget_offline(call).await
}

/// Their pending commands are deleted with them.
async fn forget_offline(call: &Call) -> Result<(), ApiError> {
    let mut work = UnitOfWork::begin(call).await?;
    let gone = game_server::forget_offline(work.tx(), call.guild(), work.now(), FORGOTTEN).await?;
    let guild = call.guild();
    work.announce(gone.into_iter().map(|server_id| Event::CommandAcknowledged { guild, server_id }));
    work.finish().await
}
