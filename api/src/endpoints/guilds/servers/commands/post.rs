//! POST /guilds/:guildId/servers/commands (docs/rules.md 7): one command for every live server of players, or
//! for those of one place.

use entities::{CommandId, PlaceId, game_server};
use jobs::server_commands::{CommandCopy, copy_for};

use crate::endpoints::play::servers::commands::queue::{CommandRequest, queue};
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct BroadcastCommandRequest {
        /// Only servers that run this place.
        place_id: Option<PlaceId>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct QueuedCommands {
    /// How many servers are to run the command.
    #[schema(example = 1)]
    queued: usize,
    commands: Vec<ServerCommand>,
}

/// Each server's copy of the command has an id of its own.
#[derive(Serialize, ToSchema)]
pub(crate) struct ServerCommand {
    id: CommandId,
    /// The id the server gives itself; empty in the studio.
    #[schema(example = "f3b1c2d4-server-7")]
    server_id: String,
}

pub(crate) fn operation() -> Operation {
    Operation::new("queueCommandForAll", "Queue a command for every live server")
        .body::<CommandRequest>()
        .body::<BroadcastCommandRequest>()
        .data::<QueuedCommands>()
        .message("command queued for 1 live servers")
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let command = call.body::<CommandRequest>()?.issued_by(call.caller.user());
    let BroadcastCommandRequest { place_id: place } = call.body()?;
    call.state.heartbeats.write_servers(&call.state.context).await?;
    let mut work = UnitOfWork::begin(&call).await?;
    let live = game_server::live(work.tx(), call.guild(), work.now()).await?.into_iter();
    let meant = live.filter(|(_, own)| place.is_none_or(|place| place == *own));
    let copies: Vec<CommandCopy> = meant.map(|(server, _)| copy_for(server)).collect();
    let copies = queue(&call, &mut work, &command, copies).await?;
    let after = json!({
        "servers": copies.len(), "place_id": place, "type": command.kind, "target_id": command.target,
    });
    work.audit("commands.queue_all", call.guild(), json!({ "after": after }));
    let queued = copies.len();
    let commands = copies.into_iter().map(|(id, server_id)| ServerCommand { id, server_id }).collect();
    let message = format!("command queued for {queued} live servers");
    work.commit(Reply::data(&QueuedCommands { queued, commands })?.with_message(message)).await
}
