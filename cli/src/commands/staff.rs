//! `guildhall staff`: who is staff of a guild, and what staff roles permit (docs/rules.md 6).

mod members;
mod roles;

use entities::GuildId;

use crate::access::AccessArgs;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Staff roles and what they permit
    #[command(subcommand)]
    Roles(roles::Command),
    /// Staff members and the roles they hold
    #[command(subcommand)]
    Members(members::Command),
}

/// Which guild, in which database.
#[derive(clap::Args)]
struct Where {
    /// The guild
    #[arg(long, env = "GUILDHALL_GUILD", value_name = "GUILD_ID")]
    guild: GuildId,
    #[command(flatten)]
    access: AccessArgs,
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Roles(command) => roles::run(command).await,
        Command::Members(command) => members::run(command).await,
    }
}
