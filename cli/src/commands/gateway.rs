//! `guildhall gateway`: reads the events of the chat platform. One of several leads.

use crate::process::{BackgroundArgs, Process};

/// A gateway process: reads the events of the chat platform, so that members who join or are changed are synced at once.
///
/// Needs Postgres (with the schema of `guildhall migrate`), RabbitMQ, Redis, and the bot's token. Without the intent for
/// members ("Server Members Intent") it learns of roles only. Run two, so that one can take over.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) background: BackgroundArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let start =
        |Process { context, queue, platforms }: &Process| gateway::start(context, queue, platforms, false);
    args.background.run("gateway", start).await
}
