//! What became of the commands that a server ran.

use std::borrow::Cow;

use entities::CommandId;
use entities::server_command::{Ack, AckStatus, Acknowledged};
use runtime::Event;
use serde_json::Value;

use crate::cache::commands::OwnServer;
use crate::endpoints::play::servers::commands::ack::post::acknowledge;
use crate::endpoints::prelude::*;
use crate::request::item::Item;
use crate::request::parts::Field;
use crate::response::error::Kind;
use crate::schema::shape::{self, Property, Shape};

#[derive(Debug, Clone)]
pub(crate) struct CommandResult {
    command: CommandId,
    status: AckStatus,
    message: Option<String>,
}

impl Field for CommandResult {
    fn allowed() -> Cow<'static, str> {
        let (command, status) = (CommandId::allowed(), AckStatus::allowed());
        format!("an object with `command_id` ({command}), `status` ({status}) and, if wanted, `message`")
            .into()
    }

    fn read(sent: &Value) -> Option<Self> {
        Self::of(Item { name: "", sent }).ok()
    }

    fn shape() -> Shape {
        let field = |name, required, shape| Property { name, required, shape };
        shape::object([
            field("command_id", true, CommandId::shape()),
            field("status", true, AckStatus::shape()),
            field("message", false, Text::<1000>::shape().nullable()),
        ])
    }

    fn refuse(name: &str, sent: &Value) -> ApiError {
        let whole = ApiError::field(name, sent, &Self::allowed());
        if sent.is_object() { Self::of(Item { name, sent }).err().unwrap_or(whole) } else { whole }
    }
}

impl CommandResult {
    fn of(item: Item) -> Result<Self, ApiError> {
        let (command, status) = (item.required("command_id")?, item.required("status")?);
        let message = item.optional::<Text<1000>>("message")?.map(|text| text.0);
        Ok(Self { command, status, message })
    }
}

/// Records them all in one transaction. Returns the commands that need no further word, and whether the database is away:
/// then these are none, and the server sends its results again.
pub(crate) async fn record(
    call: &Call,
    server: &OwnServer,
    results: Vec<CommandResult>,
) -> Result<(Vec<CommandId>, bool), ApiError> {
    let commands = results.iter().map(|result| result.command).collect();
    if results.is_empty() {
        return Ok((commands, false));
    }
    // A task of its own: the client may leave between the commit and its effects.
    let (call, server) = (call.again(), server.clone());
    let tracker = call.state.context.shutdown.tracker().clone();
    let recorded = tracker.spawn(async move { record_all(&call, server, results).await });
    match recorded.await.map_err(ApiError::internal)? {
        Ok(()) => Ok((commands, false)),
        Err(error) if error.kind() == Kind::Unavailable => Ok((Vec::new(), true)),
        Err(error) => Err(error),
    }
}

async fn record_all(
    call: &Call,
    (guild, server): OwnServer,
    mut results: Vec<CommandResult>,
) -> Result<(), ApiError> {
    // Rows are locked in one order.
    results.sort_by_key(|result| result.command);
    let mut work = UnitOfWork::begin(call).await?;
    let mut ended = false;
    for CommandResult { command, status, message } in results {
        let ack = Ack { server: &server, command, status, message: message.as_deref() };
        ended |= matches!(acknowledge(&mut work, guild, ack).await?, Acknowledged::Now(_));
    }
    if ended {
        work.announce([Event::CommandAcknowledged { guild, server_id: server }]);
        work.finish().await?;
    }
    Ok(())
}
