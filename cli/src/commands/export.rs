//! `guildhall export`: a guild in one file, while the processes run.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use entities::portable::{self, Table};
use entities::{Conn, GuildId, audit_chain};
use runtime::Context;

use crate::input::is_dash;
use crate::operator::GuildArgs;
use crate::portable_file::{End, Head, line};
use crate::{new_file, output};

/// Rows in one query.
const BATCH: u64 = 1_000;

/// Writes a guild with all that belongs to it, as it is at one moment, to a file; `import` reads it. The processes may run
/// meanwhile.
///
/// A file of JSON Lines, the same from SQLite and from Postgres: links, bindings, bans, staff, applications and the audit log.
/// Not in it are keys, jobs, sessions of the console, attempts to link, and what belongs to all guilds: Shield and
/// proven accounts. It names members and what was noted about them: only your user can read it.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    guild: GuildArgs,
    /// A file that does not exist yet; `-` for standard output
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let started = Instant::now();
    let context = args.guild.open().await?;
    let guild = args.guild.guild;
    let said = |name: &str, rows: u64| {
        format!("exported guild {guild} to {name}: {rows} rows in {:.1} s", started.elapsed().as_secs_f64())
    };
    if is_dash(&args.file) {
        // One that is cut lacks its last line, so `import` refuses it.
        let rows = export(&context, guild, io::stdout()).await?;
        context.close().await;
        output::note(&said("standard output", rows));
        return Ok(());
    }
    let written = new_file::begin(&args.file)?;
    let rows = export(&context, guild, written.as_file()).await?;
    context.close().await;
    new_file::finish(written, &args.file)?;
    output::print(&said(&args.file.display().to_string(), rows))
}

/// Returns the number of rows.
async fn export(context: &Context, guild: GuildId, out: impl Write) -> anyhow::Result<u64> {
    let mut out = BufWriter::new(out);
    let snapshot = context.database.snapshot().await?;
    let rows = write(&snapshot, guild, &mut out).await?;
    out.flush()?;
    snapshot.rollback().await?;
    Ok(rows)
}

async fn write(conn: &impl Conn, guild: GuildId, out: &mut impl Write) -> anyhow::Result<u64> {
    let chains = audit_chain::of_guild(conn, guild).await?;
    let head = Head::new(guild, chains.map(|chain| chain.newest_hash().map(hex::encode)));
    serde_json::to_writer(&mut *out, &head)?;
    out.write_all(b"\n")?;
    let mut rows = 0;
    for table in portable::tables() {
        rows +=
            write_table(conn, guild, &table, out).await.with_context(|| format!("table {}", table.name))?;
    }
    out.write_all(&line("end", End { rows })?)?;
    Ok(rows)
}

async fn write_table(
    conn: &impl Conn,
    guild: GuildId,
    table: &Table,
    out: &mut impl Write,
) -> anyhow::Result<u64> {
    let (mut rows, mut after) = (0, None);
    loop {
        let batch = table.read(conn, guild, after.as_ref(), BATCH).await?;
        let is_last = (batch.len() as u64) < BATCH;
        after = batch.last().cloned();
        for row in batch.into_iter().filter_map(|row| table.carried(row)) {
            out.write_all(&line(table.name, row)?)?;
            rows += 1;
        }
        if is_last {
            return Ok(rows);
        }
    }
}
