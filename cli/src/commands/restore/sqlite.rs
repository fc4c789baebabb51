//! The file of an embedded database, replaced by a backup once that has been checked.

use std::io;
use std::path::Path;

use anyhow::{Context as _, bail};
use entities::backup;
use runtime::{Config, Database, DatabaseOptions, files_of};

use crate::schema;

const KEPT: &str = ".before-restore";

pub(super) async fn restore(config: &Config, backup: &Path, replace: bool) -> anyhow::Result<()> {
    let file = config.sqlite_file()?.context("the database is no file")?;
    if schema::missing_file(config)?.is_none() && !replace {
        bail!("there is a database {}: --replace puts it aside", file.display());
    }
    let folder = file.parent().context("the database is in no folder")?;
    let name = file.file_name().unwrap_or_default().display();
    let copy = tempfile::Builder::new().prefix(&format!("{name}.")).tempfile_in(folder)?;
    std::fs::copy(backup, copy.path()).with_context(|| format!("cannot copy {}", backup.display()))?;
    copy.as_file().sync_all()?;
    check(copy.path()).await.with_context(|| format!("{} is not restored", backup.display()))?;
    let kept = file.with_file_name(format!("{name}{KEPT}"));
    for (from, to) in files_of(&file).iter().zip(files_of(&kept)) {
        put_aside(from, &to)?;
    }
    copy.persist(&file).with_context(|| format!("cannot write {}", file.display()))?;
    std::fs::File::open(folder)?.sync_all()?;
    Ok(())
}

/// That it is whole, and that this program works with it.
async fn check(file: &Path) -> anyhow::Result<()> {
    let url = format!("sqlite://{}", file.display());
    let database = Database::connect(&url, &DatabaseOptions::default()).await?;
    let (damage, difference) =
        (backup::damage(database.read()).await, migrations::difference(database.read()).await);
    database.close().await;
    if let Some(damage) = damage? {
        bail!("it is damaged: {damage}");
    }
    let refused = difference?.refused;
    if !refused.is_empty() {
        bail!("it is of a newer version of guildhall: {}", refused.join(", "));
    }
    Ok(())
}

/// Also what an earlier restore put there goes.
fn put_aside(from: &Path, to: &Path) -> io::Result<()> {
    match std::fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => match std::fs::remove_file(to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
        renamed => renamed,
    }
}
