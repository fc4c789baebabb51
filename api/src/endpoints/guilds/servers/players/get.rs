//! GET /guilds/:guildId/servers/:serverId/players (docs/rules.md 7)

use entities::PlayId;
use entities::game_server::present;

use crate::endpoints::play::servers::commands::own_server::own_server;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct ServerPlayers {
    /// The id the server gives itself.
    #[schema(example = "f3b1c2d4-server-7")]
    server_id: String,
    #[schema(minimum = 0, example = 12)]
    player_count: i32,
    /// By id. Null: no tick of the last 90 seconds had `players`.
    #[schema(required)]
    players: Option<Vec<PlayId>>,
    /// When the server said so; null with `players`.
    #[schema(required)]
    as_of: Option<Seconds>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listServerPlayers", "Who is on a game server")
        .about("From the `players` of its ticks, written every 30 seconds.")
        .data::<ServerPlayers>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let (guild, server) = own_server(&call).or_not_found("server")?;
    call.state.heartbeats.write_servers(&call.state.context).await?;
    let found = present::find(call.read(), guild, &server).await?.or_not_found("server")?;
    let (players, as_of) = found.list(call.now()).map(|(list, at)| (list.to_vec(), Seconds(at))).unzip();
    let (server_id, player_count) = (found.server_id, found.player_count);
    Reply::data(&ServerPlayers { server_id, player_count, players, as_of })
}
