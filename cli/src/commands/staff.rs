//! `guildhall staff`: the staff members of a guild, and their roles (docs/rules.md 6).

mod members;
mod roles;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Staff roles and their permissions
    #[command(subcommand)]
    Roles(roles::Command),
    /// Staff members and the roles they hold
    #[command(subcommand)]
    Members(members::Command),
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Roles(command) => roles::run(command).await,
        Command::Members(command) => members::run(command).await,
    }
}
