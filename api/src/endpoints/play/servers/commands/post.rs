//! POST /play/servers/:serverId/commands (docs/rules.md 7)

use jobs::server_commands::copy_for;

use crate::cache::commands::Command;
use crate::cache::room::too_many;
use crate::endpoints::play::servers::commands::own_server::own_server;
use crate::endpoints::play::servers::commands::queue::{CommandRequest, queue};
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct QueuedCommand {
    #[serde(flatten)]
    command: Command,
    /// The id the server gives itself; empty in the studio.
    #[schema(example = "f3b1c2d4-server-7")]
    server_id: String,
}

pub(crate) fn operation() -> Operation {
    Operation::new("queueCommand", "Queue a command for a server")
        .body::<CommandRequest>()
        .data::<QueuedCommand>()
        .message("command queued")
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let own = own_server(&call).or_not_found("server")?;
    let command = call.body::<CommandRequest>()?.issued_by(call.caller.user());
    let waiting = call.state.caches.commands.of(&call.state.context, &own, call.now()).await?;
    if waiting.len() as u64 >= Cap::CommandsOfServer.row().most {
        return Err(too_many(Cap::CommandsOfServer));
    }
    let (_, server) = own;
    let mut work = UnitOfWork::begin(&call).await?;
    let queued = queue(&call, &mut work, &command, vec![copy_for(server)]).await?;
    let (id, server_id) = queued.into_iter().next().or_not_found("server")?;
    let after = json!({ "server_id": server_id, "type": command.kind, "target_id": command.target });
    work.audit("commands.queue", id, json!({ "after": after }));
    let command = Command {
        id,
        kind: command.kind,
        target_id: command.target,
        reason: command.reason,
        issued_at: Seconds(work.now()),
    };
    work.commit(Reply::data(&QueuedCommand { command, server_id })?.with_message("command queued")).await
}
