//! `guildhall restore FILE`: the database as a backup has it, while no process runs.

mod sqlite;

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use entities::backup::Replaced;
use entities::{guild, process};
use runtime::{Config, Database, DatabaseArgs};

use crate::{input, output, postgres_tool, schema};

/// How files of each kind begin.
const OF_POSTGRES: &[u8] = b"PGDMP";
const OF_SQLITE: &[u8] = b"SQLite format 3\0";

/// Restores the database from a file that `backup` wrote. All processes must be stopped.
///
/// A backup of SQLite is for SQLite, and one of Postgres for Postgres, where `pg_restore` and `psql` of this machine read it. An
/// older backup is brought up to date by `migrate` (`serve` does it by itself).
///
/// On Postgres everything in the schema that belongs to the owner of Guildhall's tables is dropped first, also what another
/// program made there as the same user, but no extensions. A restore that fails changes nothing.
///
/// Clients that follow lists of bans and mutes get whole lists afterwards. RabbitMQ and Redis need nothing.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A file that `backup` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace what is there. A file is kept beside it, with `.before-restore` behind its name, and a number from the second on
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    input::refuse_dash(&args.file, "`restore` does not read standard input")?;
    let config = Config::embedded(&args.database)?;
    check_kind(&args.file, config.is_postgres())?;
    // Held until the end: no `serve` starts meanwhile.
    let _lock = config.lock_data_dir()?;
    let kept = if config.is_postgres() {
        postgres(&config, &args).await?;
        None
    } else {
        sqlite::restore(&config, &args.file, args.replace).await?
    };
    let database = schema::connect(&config).await?;
    let state = migrations::difference(database.read()).await;
    let guilds = guild::count(database.read()).await;
    database.close().await;
    let is_old = !state?.pending.is_empty();
    let (name, guilds) = (args.file.display(), output::count(usize::try_from(guilds?)?, "guild"));
    let kept = kept.map_or_else(String::new, |kept| format!("; what was there is {}", kept.display()));
    let next = if is_old { "; its schema is older: run `guildhall migrate`" } else { "" };
    output::print(&format!("restored {name}: {guilds}{kept}{next}"))
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
    let replaced = accepted(&database, args.replace).await;
    database.close().await;
    let replaced = replaced?;
    let file = args.file.to_str().context("the name of the file must be valid UTF-8")?;
    let how = ["--no-owner", "--no-privileges", "--schema", replaced.schema(), file];
    let url = config.database_url.expose();
    postgres_tool::restore(url, &how, &replaced.begin(), &replaced.commit()).await
}

/// What is replaced, if nobody uses it and it may be.
async fn accepted(database: &Database, replace: bool) -> anyhow::Result<Replaced> {
    let conn = database.read();
    let Some(replaced) = Replaced::find(conn).await? else {
        bail!(
            "the database has no schema for tables: see `search_path` of the user in GUILDHALL_DATABASE_URL"
        )
    };
    let alive = replaced.processes(conn).await.context("cannot see which processes use the database")?;
    if !alive.is_empty() {
        let roles = alive.iter().map(|(role, number)| format!("{number} {role}"));
        bail!(
            "processes use this database: {}; stop them, and try again {} s later",
            roles.collect::<Vec<_>>().join(", "),
            process::DEAD_AFTER.as_secs()
        );
    }
    let (objects, guilds) = (replaced.objects(conn).await?, replaced.guilds(conn).await?);
    if objects > 0 && guilds != Some(0) && !replace {
        let objects = output::count(usize::try_from(objects)?, "object");
        let guilds = match guilds {
            Some(guilds) => format!(", and {}", output::count(usize::try_from(guilds)?, "guild")),
            None => String::new(),
        };
        let schema = replaced.schema();
        bail!("the schema `{schema}` has {objects} (tables, functions){guilds}: --replace drops them");
    }
    Ok(replaced)
}
