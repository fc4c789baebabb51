//! `guildhall links`: import, list and remove links between chat and game accounts.

mod export_file;
mod import;
mod list;
mod remove;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Import links from a CSV or JSON file, all or none; importing the same file again changes nothing
    ///
    /// The columns are `chat_id`, `play_id`, `play_username` and, optionally, `verified_at` (RFC 3339; the default is the time of
    /// an existing link of the same accounts, or else now). The usual names of other bots' exports count too, such as
    /// `discord_id`, `roblox_id` and `username`. A linked chat user gets the new game account.
    Import(import::Args),
    /// List the links of a guild, by chat id
    List(list::Args),
    /// Remove a link; a job takes away the member's roles and nickname that came from it
    ///
    /// Bans and mutes stay with the account that the moderator named: from now on they do not count for the other one.
    Remove(remove::Args),
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Import(args) => import::run(args).await,
        Command::List(args) => list::run(args).await,
        Command::Remove(args) => remove::run(args).await,
    }
}
