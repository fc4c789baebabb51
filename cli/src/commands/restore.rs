//! `guildhall restore FILE`: the database as a backup has it, while no process runs.

mod sqlite;

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use entities::{guild, process};
use runtime::{Clock, Config, DatabaseArgs};

use crate::{output, postgres_tool, schema};

/// How files of each kind begin.
const OF_POSTGRES: &[u8] = b"PGDMP";
const OF_SQLITE: &[u8] = b"SQLite format 3\0";

/// Restores the database from a file that `backup` wrote. All processes must be stopped.
///
/// A backup of SQLite is for SQLite, and one of Postgres for Postgres, where `pg_restore` of this machine reads it. An older
/// backup is brought up to date by `migrate` (`serve` does it by itself).
///
/// Clients that follow lists of bans and mutes get whole lists afterwards. RabbitMQ and Redis need nothing.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A file that `backup` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace the database that is there. A file is kept beside it, with `.before-restore` behind its name
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let config = Config::embedded(&args.database)?;
    check_kind(&args.file, config.is_postgres())?;
    // Held until the end: no `serve` starts meanwhile.
    let _lock = config.lock_data_dir()?;
    if config.is_postgres() {
        postgres(&config, &args).await?;
    } else {
        sqlite::restore(&config, &args.file, args.replace).await?;
    }
    let database = schema::connect(&config).await?;
    let state = migrations::difference(database.read()).await;
    let guilds = guild::list(database.read()).await;
    database.close().await;
    let is_old = !state?.pending.is_empty();
    // An older schema may lack columns.
    let holds =
        guilds.map_or_else(|_| String::new(), |guilds| format!(": {}", output::count(guilds.len(), "guild")));
    let next = if is_old { "; its schema is older: run `guildhall migrate`" } else { "" };
    output::print(&format!("restored {}{holds}{next}", args.file.display()))
}

/// Before anything is changed.
fn check_kind(file: &Path, for_postgres: bool) -> anyhow::Result<()> {
    let name = file.display();
    let mut begin = Vec::new();
    let opened = std::fs::File::open(file).with_context(|| format!("cannot read {name}"))?;
    opened
        .take(OF_SQLITE.len() as u64)
        .read_to_end(&mut begin)
        .with_context(|| format!("cannot read {name}"))?;
    match (begin.starts_with(OF_POSTGRES), begin == OF_SQLITE, for_postgres) {
        (true, _, true) | (_, true, false) => Ok(()),
        (true, _, false) => {
            bail!("{name} is a backup of Postgres, but the database is SQLite: set GUILDHALL_DATABASE_URL")
        }
        (_, true, true) => bail!("{name} is a backup of SQLite, but GUILDHALL_DATABASE_URL is Postgres"),
        _ => bail!("{name} is no backup of Guildhall"),
    }
}

async fn postgres(config: &Config, args: &Args) -> anyhow::Result<()> {
    let database = schema::connect(config).await?;
    // A database without tables has neither.
    let guilds = guild::list(database.read()).await.unwrap_or_default().len();
    let alive = process::alive(database.read(), Clock::system().now()).await.unwrap_or_default();
    database.close().await;
    if !alive.is_empty() {
        let roles = alive.roles.iter().map(|(role, number)| format!("{number} {}", role.name()));
        bail!(
            "processes use this database: {}; stop them, and try again {} s later",
            roles.collect::<Vec<_>>().join(", "),
            process::DEAD_AFTER.as_secs()
        );
    }
    if guilds > 0 && !args.replace {
        bail!("the database has {}: --replace drops all that is in it", output::count(guilds, "guild"));
    }
    let file = args.file.to_str().context("the name of the file must be valid UTF-8")?;
    let how = ["--clean", "--if-exists", "--no-owner", "--no-privileges", "--single-transaction", file];
    postgres_tool::run("pg_restore", config.database_url.expose(), &how).await
}
