//! POST /play/servers/heartbeat
//!
//! The first heartbeat of a server is written at once, so that commands can be queued for it from then on; later ones
//! are written in batches. Heartbeats leave no audit entries: they are signs of life, not changes by anybody.

use std::time::Duration;

use entities::game_server::{self, Heartbeat};
use entities::{PlaceId, UniverseId};
use moka::future::Cache;
use serde::Serialize;

use super::fields::{OrStudio, ServerId};
use super::waiting::OwnServer;
use crate::call::Call;
use crate::fields::Whole;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

/// Servers remembered as known to the database.
const KNOWN: u64 = 50_000;
/// Far shorter than silent servers are kept.
const KNOWN_FOR: Duration = Duration::from_secs(10 * 60);
const MOST_PLAYERS: i32 = 100_000;

/// Servers that have a row.
pub(crate) struct KnownServers(Cache<OwnServer, ()>);

impl KnownServers {
    pub(crate) fn new() -> Self {
        Self(Cache::builder().max_capacity(KNOWN).time_to_live(KNOWN_FOR).build())
    }
}

#[derive(Serialize)]
struct Heard {
    ok: bool,
}

pub(crate) async fn heartbeat(call: Call) -> Result<Reply, ApiError> {
    let heartbeat = Heartbeat {
        guild: call.guild(),
        server: call.fields.required::<ServerId>("server_id")?.0,
        place: call.fields.required::<OrStudio<PlaceId>>("place_id")?.0,
        universe: call.fields.required::<OrStudio<UniverseId>>("universe_id")?.0,
        player_count: call.fields.required::<Whole<0, MOST_PLAYERS>>("player_count")?.0,
        at: call.now(),
    };
    let server = (heartbeat.guild, heartbeat.server.clone());
    let known = &call.app.known_servers.0;
    if known.contains_key(&server) {
        call.app.heartbeats.note_server(heartbeat);
    } else {
        game_server::heartbeat(call.app.context.database.write(), &[heartbeat]).await?;
        known.insert(server, ()).await;
    }
    Reply::data(&Heard { ok: true })
}
