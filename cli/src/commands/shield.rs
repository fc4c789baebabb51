//! `guildhall shield`: the cross-guild list of flagged users, and the guilds that may write to it (docs/rules.md 9).

mod allowlist;
mod flags;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Let a guild write to the list
    Allow(allowlist::Args),
    /// Stop a guild from writing to the list; its flags stay
    Disallow(allowlist::Args),
    /// Flag a game user for all guilds
    Flag(flags::FlagArgs),
    /// Lift the flag of a game user; it is kept as history
    Lift(flags::LiftArgs),
    /// List flags, newest first
    List(flags::ListArgs),
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Allow(args) => allowlist::set(args, true).await,
        Command::Disallow(args) => allowlist::set(args, false).await,
        Command::Flag(args) => flags::flag(args).await,
        Command::Lift(args) => flags::lift(args).await,
        Command::List(args) => flags::list(args).await,
    }
}
