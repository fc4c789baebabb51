//! Queues a command for game servers; polls, ticks and sockets are notified after the commit.

use entities::server_command::{self, NewCommand};
use entities::{CommandId, GuildId};
use runtime::{Event, UnitOfWork};
use sea_orm::DbErr;

/// Servers in one event, to keep events small.
const SERVERS_PER_EVENT: usize = 500;

/// A server's copy of a command has an id of its own.
pub type CommandCopy = (CommandId, String);

pub fn copy_for(server: String) -> CommandCopy {
    (CommandId(uuid::Uuid::now_v7()), server)
}

/// The caller knows that there is room. Returns the copies that wait: there is none for a server that has shut down.
pub async fn queue(
    work: &mut UnitOfWork,
    guild: GuildId,
    command: &NewCommand,
    copies: Vec<CommandCopy>,
) -> Result<Vec<CommandCopy>, DbErr> {
    let now = work.now();
    let queued = server_command::queue(work.tx(), guild, command, copies, now).await?;
    for copies in queued.chunks(SERVERS_PER_EVENT) {
        work.announce([Event::CommandQueued {
            guild,
            kind: command.kind.clone(),
            target_id: command.target.clone(),
            reason: command.reason.clone(),
            issued_at: now,
            servers: copies.to_vec(),
        }]);
    }
    Ok(queued)
}
