//! GET /play/servers/:serverId/commands (docs/rules.md 7)

use crate::cache::commands::Command;
use crate::endpoints::play::servers::commands::own_server::own_server;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct PendingCommands<'a> {
    commands: &'a [Command],
}

pub(crate) fn operation() -> Operation {
    Operation::new("listPendingCommands", "A server's pending commands")
        .about("Oldest first, each until it is acknowledged or 10 minutes old.")
        .data::<PendingCommands<'_>>()
}

/// A server that never sent a heartbeat has no commands.
pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let Some(server) = own_server(&call) else { return Reply::data(&PendingCommands { commands: &[] }) };
    let commands = call.state.caches.commands.of(&call.state.context, &server, call.now()).await?;
    Reply::data(&PendingCommands { commands: &commands })
}
