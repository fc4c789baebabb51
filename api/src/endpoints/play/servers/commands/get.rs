//! GET /play/servers/:serverId/commands (docs/rules.md 7)

use std::borrow::Cow;
use std::sync::Arc;

use entities::CommandId;

use crate::cache::commands::Command;
use crate::endpoints::play::servers::commands::own_server::own_server;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct PendingCommands<'a> {
    #[schema(value_type = Vec<Command>)]
    commands: Cow<'a, [Command]>,
    /// Present only in a page; null on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<CommandId>)]
    #[expect(clippy::option_option, reason = "absent without paging, null on the last page")]
    next_cursor: Option<Option<CommandId>>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listPendingCommands", "A server's pending commands")
        .about("Oldest first, each until it is acknowledged or 10 minutes old.")
        .paged_if_asked::<CommandId>()
        .data::<PendingCommands<'_>>()
}

/// A server that never sent a heartbeat has no commands.
pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page_if_asked::<CommandId>()?;
    let commands = match own_server(&call) {
        Some(server) => call.state.caches.commands.of(&call.state.context, &server, call.now()).await?,
        None => Arc::default(),
    };
    let Some(page) = page else {
        return Reply::data(&PendingCommands { commands: Cow::Borrowed(&commands), next_cursor: None });
    };
    // Acknowledged meanwhile: the list begins anew, like every poll.
    let at = commands.iter().position(|command| Some(command.id) == page.cursor).map_or(0, |at| at + 1);
    page.reply(
        commands[at..].to_vec(),
        |command| command.id,
        |commands: Vec<Command>, next| PendingCommands { commands: commands.into(), next_cursor: Some(next) },
    )
}
