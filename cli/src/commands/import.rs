//! `guildhall import`: a guild from a file that `export` wrote.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, bail};
use entities::GuildId;
use entities::audit_chain::{self, verify::verify};
use entities::guild::import;
use entities::portable::{self, Shifts, Table};
use runtime::{Context, fail_point};
use sea_orm::DbErr;

use crate::operator::{OperatorArgs, refuse_known};
use crate::portable_file::{Batch, Checked, Lines, check};
use crate::{input, output};

/// Imports a guild from a file that `export` wrote. The processes may run meanwhile: they see the guild when all of it is
/// there. If the command is stopped, repeat it with the same file to go on, or remove the guild.
///
/// The whole file is checked first, by an import into a database in the folder for temporary files. A guild that exists is
/// never changed. Keys are not in the file: create new ones. Ids of bans, notes and the like stay as they are if they are
/// free here, otherwise all of a kind move by the same number.
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
    input::refuse_dash(&args.file, "`import` reads its file twice, so not from standard input")?;
    let tables = portable::tables();
    let checked = check(&args.file, &tables).await?;
    let context = args.operator.open_or_create().await?;
    let begun = begun(&context, &checked).await?;
    let mut lines = Lines::open(&args.file, &tables)?;
    Import::new(&context, &checked, begun).run(&mut lines, &tables).await?;
    for chain in audit_chain::of_guild(context.database.read(), checked.guild).await? {
        if verify(context.database.read(), &chain, None).await?.flaw.is_some() {
            output::note(
                "the audit log of the file is not as it was written: `guildhall audit verify` says more",
            );
        }
    }
    finish(&context, checked.guild).await?;
    context.close().await;
    let (guild, rows, seconds) = (checked.guild, checked.rows, started.elapsed().as_secs_f64());
    output::print(&format!(
        "imported guild {guild}: {rows} rows in {seconds:.1} s\n\
         its keys were not in the file: `guildhall keys create --guild {guild} ...` makes new ones"
    ))
}

/// How far an earlier run of the same import came. Anything else of the guild is an error.
async fn begun(context: &Context, checked: &Checked) -> anyhow::Result<Option<import::Model>> {
    let (read, guild) = (context.database.read(), checked.guild);
    match import::find(read, guild).await? {
        Some(begun) if begun.file_hash == checked.hash => Ok(Some(begun)),
        Some(_) => bail!(
            "guild {guild} is being imported from another file: repeat that, or `guildhall guilds remove {guild}` first"
        ),
        None => refuse_known(read, guild).await.map(|()| None),
    }
}

async fn finish(context: &Context, guild: GuildId) -> anyhow::Result<()> {
    let transaction = context.database.begin().await?;
    if !import::finish(&transaction, guild).await? {
        bail!(disturbed(guild));
    }
    transaction.commit().await?;
    Ok(())
}

fn disturbed(guild: GuildId) -> String {
    format!(
        "guild {guild} is being removed, which `guildhall guilds remove {guild}` ends, or another import of it is under way"
    )
}

struct Import<'a> {
    context: &'a Context,
    checked: &'a Checked,
    /// The first rows of the file, which are in the database.
    written: i64,
    shifts: Shifts,
}

impl<'a> Import<'a> {
    fn new(context: &'a Context, checked: &'a Checked, begun: Option<import::Model>) -> Self {
        let written = begun.as_ref().map_or(0, |begun| begun.rows_written);
        let shifts = begun.map_or_else(Shifts::default, |begun| Shifts::of(begun.placed));
        Self { context, checked, written, shifts }
    }

    async fn run(mut self, lines: &mut Lines<'_>, tables: &[Table]) -> anyhow::Result<()> {
        let (mut current, mut batch, mut left): (Option<usize>, _, _) =
            (None, Batch::default(), self.written);
        while let Some((index, row)) = lines.next()? {
            if left > 0 {
                left -= 1;
                continue;
            }
            if let Some(at) = current
                && (index != at || batch.is_full())
            {
                self.write(lines, &tables[at], std::mem::take(&mut batch)).await?;
            }
            let table = &tables[index];
            if current != Some(index) {
                current = Some(index);
                self.place(table).await?;
            }
            let values = table.values(self.checked.guild, &row, &self.shifts);
            batch.push(lines.number(), values.map_err(|problem| lines.wrong(&problem))?);
        }
        match current {
            Some(at) => self.write(lines, &tables[at], batch).await,
            None => Ok(()),
        }
    }

    /// Before the first row of the table. The place is noted with that row: until then it can be another one.
    async fn place(&mut self, table: &Table) -> anyhow::Result<()> {
        let Some(ids) = self.checked.ids.get(table.name) else { return Ok(()) };
        let transaction = self.context.database.begin().await?;
        let placed = self.shifts.place(&transaction, table, self.checked.guild, ids).await;
        placed.context("cannot place the ids")?;
        transaction.commit().await?;
        Ok(())
    }

    async fn write(&mut self, lines: &Lines<'_>, table: &Table, batch: Batch) -> anyhow::Result<()> {
        let (guild, rows) = (self.checked.guild, i64::try_from(batch.rows())?);
        let transaction = self.context.database.begin().await?;
        if let Err(error) = batch.insert(&transaction, table).await {
            transaction.rollback().await?;
            let (line, error) = self.refused(table, &batch, error).await?;
            bail!(lines.wrong_at(line, &error.to_string()));
        }
        if table.name == "guild" {
            let hash = self.checked.hash.clone();
            import::begin(&transaction, guild, hash, self.context.clock.now()).await?;
        }
        if !import::advance(&transaction, guild, self.written, rows, self.shifts.placed()).await? {
            bail!(disturbed(guild));
        }
        transaction.commit().await?;
        self.written += rows;
        fail_point("after_import", table.name).await;
        Ok(())
    }

    /// Which row the database refused, and why.
    async fn refused(&self, table: &Table, batch: &Batch, error: DbErr) -> anyhow::Result<(usize, DbErr)> {
        let transaction = self.context.database.begin().await?;
        let refused = batch.refused(&transaction, table, error).await;
        transaction.rollback().await?;
        Ok(refused)
    }
}
