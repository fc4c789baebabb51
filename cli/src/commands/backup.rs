//! `guildhall backup FILE`: the whole database in one file, while the processes run.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, bail};
use entities::backup;
use runtime::{Config, DatabaseArgs};
use tempfile::NamedTempFile;

use crate::{output, postgres_tool, schema};

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
    let config = Config::embedded(&args.database)?;
    if let Some(what) = schema::missing_file(&config)? {
        bail!("{what}: there is nothing to back up");
    }
    let (file, name) = (&args.file, args.file.display());
    if file.try_exists()? {
        bail!("{name} exists: name another file, or remove it first");
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Under its own name only when it is whole.
    let written = NamedTempFile::new_in(folder).with_context(|| format!("cannot write {name}"))?;
    write(&config, written.path()).await?;
    written.as_file().sync_all()?;
    let bytes = written.as_file().metadata()?.len();
    written.persist_noclobber(file).with_context(|| format!("cannot write {name}"))?;
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
