//! `guildhall backup FILE`: the whole database in one file, while the processes run.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, bail};
use entities::backup;
use runtime::{Config, DatabaseArgs};

use crate::{input, new_file, output, postgres_tool, schema};

/// Writes the whole database, as it is at one moment, to a file; `restore` reads it. The processes may run meanwhile.
///
/// On SQLite the file is a database. On Postgres `pg_dump` of this machine writes it in its own format.
///
/// It holds everything, also hashes of keys: only your user can read it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A file that does not exist yet
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    database: DatabaseArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let started = Instant::now();
    input::refuse_dash(&args.file, "`backup` does not write to standard output")?;
    let config = Config::embedded(&args.database)?;
    if let Some(file) = schema::missing_file(&config)? {
        bail!("{}: there is nothing to back up", schema::is_missing(&file));
    }
    // Under its own name only when it is whole.
    let written = new_file::begin(&args.file)?;
    write(&config, written.path()).await?;
    let bytes = written.as_file().metadata()?.len();
    new_file::finish(written, &args.file)?;
    let name = args.file.display();
    let seconds = started.elapsed().as_secs_f64();
    output::print(&format!("backed up to {name}: {} KiB in {seconds:.1} s", bytes.div_ceil(1024)))
}

async fn write(config: &Config, file: &Path) -> anyhow::Result<()> {
    let file = file.to_str().context("the name of the file must be valid UTF-8")?;
    if config.is_postgres() {
        let args = ["--format=custom", "--no-owner", "--no-privileges", "--file", file];
        return postgres_tool::run("pg_dump", config.database_url.expose(), &args).await;
    }
    let database = schema::connect(config).await?;
    let copied = backup::copy_to(database.write().unbounded(), file).await;
    database.close().await;
    copied.context("cannot copy the database")
}
