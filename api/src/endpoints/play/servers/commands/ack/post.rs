//! POST /play/servers/:serverId/commands/:commandId/ack (docs/rules.md 7)

use entities::server_command::{self, Ack, AckStatus, Acknowledged};
use entities::{CommandId, GuildId};
use runtime::Event;

use crate::endpoints::play::servers::commands::own_server::own_server;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct AckRequest {
        status: AckStatus,
        #[example("the player had left")]
        message: Option<Text>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct CommandAck {
    acked: bool,
}

pub(crate) fn operation() -> Operation {
    Operation::new("acknowledgeCommand", "A command was applied")
        .about("A repeat changes nothing: the first status stays.")
        .body::<AckRequest>()
        .data::<CommandAck>()
        .message("command acknowledged")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let AckRequest { status, message } = call.body()?;
    let unknown = || ApiError::not_found("command");
    let (guild, server) = own_server(&call).ok_or_else(unknown)?;
    let command: CommandId = call.path("commandId").map_err(|_| unknown())?;
    let message = message.as_ref().map(|text| text.0.as_str());
    let ack = Ack { server: &server, command, status, message };
    let mut work = UnitOfWork::begin(&call).await?;
    let reply = Reply::data(&CommandAck { acked: true })?;
    match acknowledge(&mut work, guild, ack).await? {
        Acknowledged::Unknown => return Err(unknown()),
        Acknowledged::Before(_) => return Ok(reply.with_message("acknowledged before")),
        Acknowledged::Now(_) => {}
    }
    work.announce([Event::CommandAcknowledged { guild, server_id: server }]);
    work.commit(reply.with_message("command acknowledged")).await
}

/// Records what became of a command, with its audit entry. The caller announces that the server's commands changed.
pub(crate) async fn acknowledge(
    work: &mut UnitOfWork<'_>,
    guild: GuildId,
    ack: Ack<'_>,
) -> Result<Acknowledged, ApiError> {
    let acknowledged = server_command::acknowledge(work.tx(), guild, ack, work.now()).await?;
    if let Acknowledged::Now(command) = &acknowledged {
        let metadata = json!({ "server_id": ack.server, "target_id": command.target_id, "status": ack.status,
                               "message": ack.message });
        work.audit("commands.acknowledge", ack.command, metadata);
    }
    Ok(acknowledged)
}
