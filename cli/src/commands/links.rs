//! `guildhall links import`: imports links from a CSV file, all or none.

mod csv_file;

use std::path::PathBuf;

use anyhow::bail;
use runtime::Event;
use serde_json::json;

use crate::links::{self, MergeError, Merged};
use crate::operator::GuildArgs;
use crate::output;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Import links from a CSV file, all or none; importing the same file again changes nothing
    ///
    /// The first line names the columns: `chat_id`, `play_id`, `play_username` and, optionally, `verified_at` (RFC 3339; the
    /// default is the time of an existing link of the same accounts, or else now). A linked chat user gets the new game
    /// account.
    Import(ImportArgs),
}

#[derive(clap::Args)]
pub(crate) struct ImportArgs {
    /// The CSV file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    guild: GuildArgs,
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    let Command::Import(args) = command;
    import(args).await
}

async fn import(args: ImportArgs) -> anyhow::Result<()> {
    let (guild, path) = (args.guild.guild, args.file.clone());
    let rows = tokio::task::spawn_blocking(move || csv_file::read(&path)).await??;
    let mut unit = args.guild.begin().await?;
    entities::bulk::prepare(unit.tx()).await?;
    let merged = match links::merge(unit.tx(), guild, &rows.links, unit.now()).await {
        Ok(merged) => merged,
        Err(MergeError::Conflict { index, what }) => {
            let line = rows.lines.get(index).copied().unwrap_or_default();
            bail!("{}: line {line}: {what}; nothing was imported", args.file.display())
        }
        Err(MergeError::Database(error)) => return Err(error.into()),
    };
    if merged.new + merged.changed > 0 {
        let metadata = json!({ "new": merged.new, "changed": merged.changed });
        unit.audit(guild, "links.import", guild, metadata).await?;
        unit.announce([Event::LinksChanged { guild }]);
    }
    unit.commit().await?;
    output::print(&report(rows.links.len(), merged))
}

fn report(rows: usize, merged: Merged) -> String {
    let Merged { new, changed, unchanged } = merged;
    format!("{}: {new} new, {changed} changed, {unchanged} as they were", output::count(rows, "link"))
}
