//! A command for game servers: its body, and the queueing of its copies.

use entities::ChatId;
use entities::server_command::NewCommand;
use jobs::server_commands::{self, CommandCopy};

use crate::endpoints::prelude::*;
use crate::request::game_values::{CommandKind, Target};

request! {
    pub(crate) struct CommandRequest {
        kind as "type": CommandKind,
        target_id: Target,
        reason: Option<Text>,
    }
}

impl CommandRequest {
    pub(crate) fn issued_by(self, owner: ChatId) -> NewCommand {
        NewCommand {
            kind: self.kind.0,
            target: self.target_id.0,
            reason: self.reason.map(|text| text.0).unwrap_or_default(),
            issued_by: owner,
        }
    }
}

/// Queues the copies; polls and sockets are notified after the commit. Returns those of servers that are still there.
pub(crate) async fn queue(
    call: &Call,
    work: &mut UnitOfWork<'_>,
    command: &NewCommand,
    copies: Vec<CommandCopy>,
) -> Result<Vec<CommandCopy>, ApiError> {
    call.room_for(work.tx(), Cap::PendingCommands, copies.len() as u64).await?;
    Ok(server_commands::queue(work, call.guild(), command, copies).await?)
}
