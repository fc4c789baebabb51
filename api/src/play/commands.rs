//! `/play/servers/:serverId/commands` (docs/rules.md 7): queue one, poll, acknowledge.

use std::borrow::Cow;

use entities::server_command::{self, Ack, AckStatus, Acknowledged, NewCommand};
use entities::{CommandId, Timestamp, game_server};
use runtime::Event;
use sea_orm::DatabaseTransaction;
use serde::Serialize;
use serde_json::{Value, json};

use super::fields::{CommandKind, ServerId, Target};
use super::waiting::{Command, OwnServer};
use crate::call::Call;
use crate::fields::{Field, Fields, Text};
use crate::http::error::ApiError;
use crate::http::reply::Reply;

/// Events are to stay small.
const SERVERS_AN_EVENT: usize = 500;

#[derive(Serialize)]
struct Commands<'a> {
    commands: &'a [Command],
}

/// A server that never sent a heartbeat has no commands.
pub(crate) async fn poll(call: Call) -> Result<Reply, ApiError> {
    let Some(server) = own_server(&call) else { return Reply::data(&Commands { commands: &[] }) };
    let waiting = call.app.waiting.of(&call.app.context, &server, call.now()).await?;
    Reply::data(&Commands { commands: &waiting })
}

#[derive(Serialize)]
struct Queued {
    #[serde(flatten)]
    command: Command,
    server_id: String,
}

pub(crate) async fn queue(call: Call) -> Result<Reply, ApiError> {
    let (guild, server) = own_server(&call).ok_or_else(|| ApiError::not_found("server"))?;
    let command = read(&call)?;
    let transaction = call.begin().await?;
    if game_server::find(&transaction, guild, &server).await?.is_none() {
        return Err(ApiError::not_found("server"));
    }
    let now = call.now();
    let id = CommandId(uuid::Uuid::now_v7());
    let servers = vec![(id, server.clone())];
    server_command::queue(&transaction, guild, &command, servers.clone(), now).await?;
    let after = json!({ "server_id": server, "type": command.kind, "target_id": command.target });
    call.audit(&transaction, "commands.queue", id, json!({ "after": after })).await?;
    let queued = Queued { command: shown(&command, id, now), server_id: server };
    let reply = Reply::data(&queued)?.with_message("command queued");
    let reply = call.commit(transaction, reply).await?;
    announce(&call, &command, &servers, now).await;
    Ok(reply)
}

fn shown(command: &NewCommand, id: CommandId, now: Timestamp) -> Command {
    Command {
        id,
        kind: command.kind.clone(),
        target_id: command.target.clone(),
        reason: command.reason.clone(),
        issued_at: crate::time::Seconds(now),
    }
}

/// The command a body describes, issued by the key's owner.
pub(crate) fn read(call: &Call) -> Result<NewCommand, ApiError> {
    Ok(NewCommand {
        kind: call.fields.required::<CommandKind>("type")?.0,
        target: call.fields.required::<Target>("target_id")?.0,
        reason: call.fields.optional::<Text>("reason")?.map(|text| text.0).unwrap_or_default(),
        issued_by: call.key.owner(),
    })
}

/// Tells polls and sockets here at once, and those of other processes.
pub(crate) async fn announce(
    call: &Call,
    command: &NewCommand,
    servers: &[(CommandId, String)],
    now: Timestamp,
) {
    let guild = call.guild();
    for (_, server) in servers {
        call.app.waiting.forget(&(guild, server.clone())).await;
    }
    for servers in servers.chunks(SERVERS_AN_EVENT) {
        call.app.context.events.publish(Event::CommandQueued {
            guild,
            kind: command.kind.clone(),
            target_id: command.target.clone(),
            reason: command.reason.clone(),
            issued_at: now,
            servers: servers.to_vec(),
        });
    }
}

#[derive(Serialize)]
struct Acked {
    acked: bool,
}

pub(crate) async fn ack(call: Call) -> Result<Reply, ApiError> {
    let (status, message) = outcome(&call.fields)?;
    let unknown = || ApiError::not_found("command");
    let server = own_server(&call).ok_or_else(unknown)?;
    let command: CommandId =
        call.params.get("commandId").and_then(|id| id.parse().ok()).ok_or_else(unknown)?;
    let ack = Ack { server: &server.1, command, status, message: message.as_deref() };
    let transaction = call.begin().await?;
    let reply = Reply::data(&Acked { acked: true })?;
    match server_command::acknowledge(&transaction, call.guild(), ack, call.now()).await? {
        Acknowledged::Unknown => Err(unknown()),
        Acknowledged::Before(_) => Ok(reply.with_message("acknowledged before")),
        Acknowledged::Now(_) => {
            audit_ack(&call, &transaction, ack).await?;
            let reply = call.commit(transaction, reply.with_message("command acknowledged")).await?;
            call.app.waiting.forget(&server).await;
            let (guild, server_id) = server;
            call.app.context.events.publish(Event::CommandAcknowledged { guild, server_id });
            Ok(reply)
        }
    }
}

async fn audit_ack(call: &Call, transaction: &DatabaseTransaction, ack: Ack<'_>) -> Result<(), ApiError> {
    let metadata = json!({ "server_id": ack.server, "status": ack.status, "message": ack.message });
    call.audit(transaction, "commands.acknowledge", ack.command, metadata).await
}

fn outcome(fields: &Fields) -> Result<(AckStatus, Option<String>), ApiError> {
    let status = fields.required::<AckStatus>("status")?;
    Ok((status, fields.optional::<Text>("message")?.map(|text| text.0)))
}

impl Field for AckStatus {
    fn allowed() -> Cow<'static, str> {
        "\"ok\" or \"error\"".into()
    }

    fn read(sent: &Value) -> Option<Self> {
        match sent.as_str()? {
            "ok" => Some(Self::Ok),
            "error" => Some(Self::Error),
            _ => None,
        }
    }
}

/// The server of the path. Whatever cannot be a server's id is no server.
fn own_server(call: &Call) -> Option<OwnServer> {
    let server = call.path::<ServerId>("serverId", "").ok()?;
    Some((call.guild(), server.0))
}
