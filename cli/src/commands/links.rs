//! `guildhall links import`: links from a CSV file, all or none.

mod csv_file;

use std::path::PathBuf;

use anyhow::bail;
use entities::GuildId;
use runtime::Event;
use serde_json::json;

use crate::access::{self, AccessArgs};
use crate::links::{self, MergeError, Merged};
use crate::output;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Bring links in from a CSV file, all or none; importing the same file again changes nothing
    ///
    /// Columns by name in the first line: `chat_id`, `play_id`, `play_username` and, optionally, `verified_at` (RFC 3339; left
    /// out: now, or what is known of that pair). A chat user who is linked already is given the new game account.
    Import(ImportArgs),
}

#[derive(clap::Args)]
pub(crate) struct ImportArgs {
    /// The CSV file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The guild the links are for
    #[arg(long, env = "GUILDHALL_GUILD", value_name = "GUILD_ID")]
    guild: GuildId,
    #[command(flatten)]
    access: AccessArgs,
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    let Command::Import(args) = command;
    import(args).await
}

async fn import(args: ImportArgs) -> anyhow::Result<()> {
    let path = args.file.clone();
    let rows = tokio::task::spawn_blocking(move || csv_file::read(&path)).await??;
    let context = args.access.change().await?;
    let now = context.clock.now();
    let transaction = context.database.begin().await?;
    entities::bulk::prepare(&transaction).await?;
    access::require_guild(&transaction, args.guild).await?;
    let merged = match links::merge(&transaction, args.guild, &rows.links, now).await {
        Ok(merged) => merged,
        Err(MergeError::Conflict { index, what }) => {
            let line = rows.lines.get(index).copied().unwrap_or_default();
            bail!("{}: line {line}: {what}; nothing was imported", args.file.display())
        }
        Err(MergeError::Database(error)) => return Err(error.into()),
    };
    let mut events = Vec::new();
    if merged.new + merged.changed > 0 {
        let metadata = serde_json::Map::from_iter([
            ("new".to_owned(), json!(merged.new)),
            ("changed".to_owned(), json!(merged.changed)),
        ]);
        let action = (args.guild, "links.import");
        access::audit(&transaction, action, args.guild.to_string(), metadata, now).await?;
        events.push(Event::LinksChanged { guild: args.guild });
    }
    transaction.commit().await?;
    access::finish(context, events).await;
    output::print(&report(rows.links.len(), merged))
}

fn report(rows: usize, merged: Merged) -> String {
    let Merged { new, changed, unchanged } = merged;
    format!("{}: {new} new, {changed} changed, {unchanged} as they were", output::count(rows, "link"))
}
