//! `guildhall import`: a guild from a file that `export` wrote.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, bail};
use entities::audit_chain::{self, verify::verify};
use entities::guild::import;
use entities::portable::{self, Shifts, Table};
use runtime::{Context, fail_point};

use crate::operator::{OperatorArgs, refuse_known};
use crate::output;
use crate::portable_file::{Checked, Lines, check};

/// Rows in one transaction.
const BATCH: usize = 1_000;

/// Imports a guild from a file that `export` wrote. The processes may run meanwhile: they see the guild when all of it is
/// there. If the command is stopped, repeat it with the same file to go on, or remove the guild.
///
/// The whole file is checked first. A guild that exists is never changed. Keys are not in the file: create new ones. Ids of
/// bans, notes and the like stay as they are if they are free here, otherwise all of a kind move by the same number.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    operator: OperatorArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let started = Instant::now();
    let tables = portable::tables();
    let checked = check(&args.file, &tables)?;
    let context = args.operator.open_or_create().await?;
    refuse_others(&context, &checked).await?;
    let mut lines = Lines::open(&args.file, &tables)?;
    Import { context: &context, checked: &checked, shifts: Shifts::default() }
        .run(&mut lines, &tables)
        .await?;
    for chain in audit_chain::of_guild(context.database.read(), checked.guild).await? {
        if verify(context.database.read(), &chain, None).await?.flaw.is_some() {
            output::note(
                "the audit log of the file is not as it was written: `guildhall audit verify` says more",
            );
        }
    }
    let transaction = context.database.begin().await?;
    import::finish(&transaction, checked.guild).await?;
    transaction.commit().await?;
    context.close().await;
    let (guild, rows, seconds) = (checked.guild, checked.rows, started.elapsed().as_secs_f64());
    output::print(&format!(
        "imported guild {guild}: {rows} rows in {seconds:.1} s\n\
         its keys were not in the file: `guildhall keys create --guild {guild} ...` makes new ones"
    ))
}

async fn refuse_others(context: &Context, checked: &Checked) -> anyhow::Result<()> {
    let (read, guild) = (context.database.read(), checked.guild);
    match import::find(read, guild).await? {
        Some(begun) if begun.file_hash == checked.hash => Ok(()),
        Some(_) => bail!(
            "guild {guild} is being imported from another file: repeat that, or `guildhall guilds remove {guild}` first"
        ),
        None => refuse_known(read, guild).await,
    }
}

struct Import<'a> {
    context: &'a Context,
    checked: &'a Checked,
    shifts: Shifts,
}

impl Import<'_> {
    /// Rows are in the order of the file, so those of an earlier run are the first of each table.
    async fn run(mut self, lines: &mut Lines<'_>, tables: &[Table]) -> anyhow::Result<()> {
        let (mut current, mut done, mut batch): (Option<usize>, _, _) = (None, 0, Vec::new());
        loop {
            let next = lines.next()?;
            let index = next.as_ref().map(|(index, _)| *index);
            if let Some(at) = current
                && (index != current || batch.len() == BATCH)
            {
                let written = self.write(&tables[at], std::mem::take(&mut batch)).await;
                written.map_err(|error| lines.wrong(&format!("{error:#}")))?;
            }
            let Some((index, row)) = next else { return Ok(()) };
            let table = &tables[index];
            if current != Some(index) {
                current = Some(index);
                done = self.enter(table).await?;
            }
            if done > 0 {
                done -= 1;
                continue;
            }
            batch.push(
                table
                    .values(self.checked.guild, &row, &self.shifts)
                    .map_err(|problem| lines.wrong(&problem))?,
            );
        }
    }

    /// Returns how many of the table's rows are there.
    async fn enter(&mut self, table: &Table) -> anyhow::Result<u64> {
        let transaction = self.context.database.begin().await?;
        let guild = self.checked.guild;
        if let Some(ids) = self.checked.ids.get(table.name) {
            self.shifts.place(&transaction, table, guild, ids).await.context("cannot place the ids")?;
        }
        let done = table.count(&transaction, guild).await?;
        transaction.commit().await?;
        Ok(done)
    }

    async fn write(&self, table: &Table, rows: Vec<Vec<sea_orm::Value>>) -> anyhow::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let transaction = self.context.database.begin().await?;
        table.insert(&transaction, rows).await?;
        if table.name == "guild" {
            let (guild, hash) = (self.checked.guild, self.checked.hash.clone());
            import::begin(&transaction, guild, hash, self.context.clock.now()).await?;
        }
        transaction.commit().await?;
        fail_point("after_import", table.name).await;
        Ok(())
    }
}
