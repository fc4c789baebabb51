//! `guildhall chat`: commands of the chat platform, such as /link.

use anyhow::Context as _;
use chat_commands::{Others, Registered, register};
use platforms::Platforms;
use runtime::PlatformArgs;

use crate::output;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Tell the chat platform which commands there are, if it has others; processes that answer them do it when they start
    RegisterCommands(RegisterArgs),
}

/// Commands appear in all guilds of the bot, in the place of all that it has. They arrive by the event stream, or by HTTP
/// with the application's public key (docs/linking.md).
#[derive(clap::Args)]
pub(crate) struct RegisterArgs {
    #[command(flatten)]
    platforms: PlatformArgs,
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    let Command::RegisterCommands(args) = command;
    let platforms = Platforms::new(&args.platforms.checked()?, None)?;
    let (count, registered) =
        register(&platforms, Others::Replaced).await.context("the commands were not registered")?;
    let commands = output::count(count, "command");
    output::print(&match registered {
        Registered::Replaced | Registered::Kept => format!("registered {commands}"),
        Registered::Unchanged => format!("the chat platform has these {commands} already"),
    })
}
