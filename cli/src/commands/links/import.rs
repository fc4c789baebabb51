//! `guildhall links import`: imports links from a CSV file, all or none.

use anyhow::bail;
use jobs::linking::described;
use runtime::Event;
use serde_json::json;

use super::csv_file;
use crate::input::Input;
use crate::links::{self, MergeError, Merged};
use crate::operator::GuildArgs;
use crate::output;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The CSV file; `-` for standard input
    #[arg(value_name = "FILE")]
    file: Input,
    #[command(flatten)]
    guild: GuildArgs,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let (guild, file) = (args.guild.guild, args.file.clone());
    let rows = tokio::task::spawn_blocking(move || csv_file::read(&file)).await??;
    let mut unit = args.guild.begin().await?;
    entities::bulk::prepare(unit.tx()).await?;
    let merged = match links::merge(unit.tx(), guild, &rows.links, unit.now()).await {
        Ok(merged) => merged,
        Err(MergeError::Conflict { index, what }) => {
            let line = rows.lines.get(index).copied().unwrap_or_default();
            bail!("{}: line {line}: {what}; nothing was imported", args.file)
        }
        Err(MergeError::Database(error)) => return Err(error.into()),
    };
    for (before, after) in &merged.replaced {
        let metadata = json!({ "before": described(before), "after": described(after) });
        unit.audit(guild, "links.replace", before.chat_id, metadata);
    }
    if merged.new + merged.changed > 0 {
        let metadata = json!({ "new": merged.new, "changed": merged.changed });
        unit.audit(guild, "links.import", guild, metadata);
        unit.announce([Event::LinksChanged { guild }]);
    }
    entities::bulk::finish(unit.tx()).await?;
    unit.commit().await?;
    output::print(&report(rows.links.len(), merged))
}

fn report(rows: usize, merged: Merged) -> String {
    let Merged { new, changed, unchanged, .. } = merged;
    format!("{}: {new} new, {changed} changed, {unchanged} unchanged", output::count(rows, "link"))
}
