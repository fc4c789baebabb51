//! GET /guilds/:guildId/servers and POST /guilds/:guildId/servers/commands (docs/rules.md 7)

use entities::game_server::{self, Filter, Model};
use entities::{CommandId, PlaceId, UniverseId, server_command};
use sea_orm::ConnectionTrait;
use serde::Serialize;
use serde_json::json;

use crate::call::Call;
use crate::fields::Field;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::page::Page;
use crate::play::{announce, read_command};
use crate::time::Seconds;

/// Servers read at a time.
const BATCH: u64 = 1_000;

#[derive(Serialize)]
struct Servers {
    servers: Vec<Server>,
    next_cursor: Option<String>,
}

#[derive(Serialize)]
struct Server {
    server_id: String,
    place_id: PlaceId,
    universe_id: UniverseId,
    player_count: i32,
    /// Heard of within the last 90 s.
    live: bool,
    first_seen_at: Seconds,
    last_heartbeat_at: Seconds,
}

/// By server id; `live` and `place_id` narrow the list.
pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let page = Page::<String>::of(&call, "the `server_id` of a server")?;
    let filter = Filter {
        live: call.query.parsed("live", "true or false")?,
        place: call.query.parsed("place_id", &PlaceId::allowed())?,
    };
    call.app.heartbeats.write_servers(&call.app.context).await?;
    let (now, from) = (call.now(), entities::Page { cursor: page.cursor.as_deref(), limit: page.limit + 1 });
    let mut rows = game_server::list(call.read(), call.guild(), filter, from, now).await?;
    let next_cursor = page.cut(&mut rows, |row| row.server_id.clone());
    let shown = |row: Model| Server {
        live: row.is_live(now),
        server_id: row.server_id,
        place_id: row.place_id,
        universe_id: row.universe_id,
        player_count: row.player_count,
        first_seen_at: Seconds(row.first_seen_at),
        last_heartbeat_at: Seconds(row.last_heartbeat_at),
    };
    Reply::data(&Servers { servers: rows.into_iter().map(shown).collect(), next_cursor })
}

#[derive(Serialize)]
struct Queued {
    queued: usize,
    commands: Vec<Command>,
}

/// Each server's copy of the command has an id of its own.
#[derive(Serialize)]
struct Command {
    id: CommandId,
    server_id: String,
}

/// One command for every live server, or for those of one place.
pub(crate) async fn command_all(call: Call) -> Result<Reply, ApiError> {
    let command = read_command(&call)?;
    let place = call.fields.optional::<PlaceId>("place_id")?;
    call.app.heartbeats.write_servers(&call.app.context).await?;
    let transaction = call.begin().await?;
    let servers: Vec<(CommandId, String)> = live(&call, &transaction, place).await?;
    let now = call.now();
    server_command::queue(&transaction, call.guild(), &command, servers.clone(), now).await?;
    let after = json!({
        "servers": servers.len(), "place_id": place, "type": command.kind, "target_id": command.target,
    });
    call.audit(&transaction, "commands.queue_all", call.guild(), json!({ "after": after })).await?;
    let commands = servers.iter().map(|(id, server)| Command { id: *id, server_id: server.clone() });
    let data = Queued { queued: servers.len(), commands: commands.collect() };
    let message = format!("command queued for {} live servers", data.queued);
    let reply = call.commit(transaction, Reply::data(&data)?.with_message(message)).await?;
    announce(&call, &command, &servers, now).await;
    Ok(reply)
}

async fn live<C: ConnectionTrait>(
    call: &Call,
    conn: &C,
    place: Option<PlaceId>,
) -> Result<Vec<(CommandId, String)>, ApiError> {
    let filter = Filter { live: Some(true), place };
    let mut found: Vec<(CommandId, String)> = Vec::new();
    loop {
        let after = found.last().map(|(_, server)| server.as_str());
        let rows = game_server::list(
            conn,
            call.guild(),
            filter,
            entities::Page { cursor: after, limit: BATCH },
            call.now(),
        )
        .await?;
        let more = rows.len() as u64 == BATCH;
        found.extend(rows.into_iter().map(|row| (CommandId(uuid::Uuid::now_v7()), row.server_id)));
        if !more {
            return Ok(found);
        }
    }
}
