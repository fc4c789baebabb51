//! A command for game servers: its body, and the queueing of its copies.

use entities::server_command::{self, NewCommand};
use entities::{ChatId, CommandId, GuildId};
use runtime::Event;

use crate::endpoints::prelude::*;
use crate::request::game_values::{CommandKind, Target};

/// Servers in one event, to keep events small.
const SERVERS_PER_EVENT: usize = 500;

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

/// A server's copy of a command has an id of its own.
pub(crate) type CommandCopy = (CommandId, String);

pub(crate) fn copy_for(server: String) -> CommandCopy {
    (CommandId(uuid::Uuid::now_v7()), server)
}

/// Queues the copies; polls and sockets are notified after the commit.
pub(crate) async fn queue(
    call: &Call,
    work: &mut UnitOfWork<'_>,
    command: &NewCommand,
    copies: &[CommandCopy],
) -> Result<(), ApiError> {
    call.room_for(work.tx(), Cap::PendingCommands, copies.len() as u64).await?;
    queue_unchecked(work, call.guild(), command, copies).await
}

/// The same, where the caller knows that there is room.
pub(crate) async fn queue_unchecked(
    work: &mut UnitOfWork<'_>,
    guild: GuildId,
    command: &NewCommand,
    copies: &[CommandCopy],
) -> Result<(), ApiError> {
    let now = work.now();
    server_command::queue(work.tx(), guild, command, copies.to_vec(), now).await?;
    for copies in copies.chunks(SERVERS_PER_EVENT) {
        work.announce([Event::CommandQueued {
            guild,
            kind: command.kind.clone(),
            target_id: command.target.clone(),
            reason: command.reason.clone(),
            issued_at: now,
            servers: copies.to_vec(),
        }]);
    }
    Ok(())
}
