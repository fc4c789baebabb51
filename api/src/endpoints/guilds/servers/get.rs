//! GET /guilds/:guildId/servers (docs/rules.md 7)

use entities::game_server::{self, Filter, Model};
use entities::{PlaceId, UniverseId};

use crate::endpoints::prelude::*;
use crate::request::game_values::ServerId;

request! {
    pub(crate) struct ServersQuery {
        /// Only live servers, or only those that are not.
        live: Option<bool>,
        /// Only servers that run this place.
        place_id: Option<PlaceId>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct GameServers {
    servers: Vec<GameServer>,
    #[schema(required, example = "f3b1c2d4-server-7")]
    next_cursor: Option<String>,
}

answer! {
    pub(crate) struct GameServer from row: Model, at now {
        /// The id the server gives itself; empty in the studio.
        #[schema(example = "f3b1c2d4-server-7")]
        server_id: String,
        place_id: PlaceId,
        universe_id: UniverseId,
        #[schema(minimum = 0, example = 12)]
        player_count: i32,
        /// Whether the last heartbeat is less than 90 seconds old.
        live: bool = row.is_live(now),
        /// Whether it is the studio's, which gets no commands for all servers.
        #[schema(example = false)]
        studio: bool = row.is_studio(),
        first_seen_at: Seconds,
        last_heartbeat_at: Seconds,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("listServers", "Game servers, by id")
        .paged::<ServerId>()
        .query::<ServersQuery>()
        .data::<GameServers>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page::<ServerId>()?;
    let ServersQuery { live, place_id: place } = call.query()?;
    call.state.heartbeats.write_servers(&call.state.context).await?;
    let (now, filter) = (call.now(), Filter { live, place });
    let after = page.cursor.as_ref().map(|server| server.0.as_str());
    let part = entities::Page { cursor: after, limit: page.limit + 1 };
    let rows = game_server::list(call.read(), call.guild(), filter, part, now).await?;
    let servers: Vec<_> = rows.iter().map(|row| GameServer::new(row, now)).collect();
    let data = |servers, next_cursor| GameServers { servers, next_cursor };
    page.reply(servers, |server| server.server_id.clone(), data)
}
