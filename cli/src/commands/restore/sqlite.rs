//! The file of an embedded database, replaced by a backup once that has been checked.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use entities::{backup, guild};
use runtime::{Config, Database, DatabaseOptions, files_of, folder_of, give_to_owner_of};

use crate::schema;

const KEPT: &str = ".before-restore";

/// Returns where it has put what was there.
pub(super) async fn restore(
    config: &Config,
    backup: &Path,
    replace: bool,
) -> anyhow::Result<Option<PathBuf>> {
    let file = config.sqlite_file()?.context("the database is no file")?;
    let is_there = schema::missing_file(config)?.is_none();
    if is_there && !replace {
        bail!("there is a database {}: --replace puts it aside", file.display());
    }
    let folder = folder_of(&file);
    let name = file.file_name().unwrap_or_default().display();
    // A folder, for what SQLite makes beside the copy.
    let place = tempfile::Builder::new().prefix(&format!("{name}.")).tempdir_in(folder);
    let place = place.with_context(|| format!("cannot write into {}", folder.display()))?;
    let copy = place.path().join("copy.db");
    copy_to(&copy, backup).with_context(|| format!("cannot copy {}", backup.display()))?;
    check(&copy).await.with_context(|| format!("{} is not restored", backup.display()))?;
    give_to_owner_of(&copy, if is_there { file.as_path() } else { folder })?;
    File::open(&copy)?.sync_all()?;
    let kept = put_aside(config, &file).await?;
    fs::rename(&copy, &file).with_context(|| format!("cannot write {}", file.display()))?;
    File::open(folder)?.sync_all()?;
    Ok(kept)
}

/// With the log beside it, which may have the last commits of a file that was in use.
fn copy_to(copy: &Path, backup: &Path) -> io::Result<()> {
    let ([file, log, _], [file_copy, log_copy, _]) = (files_of(backup), files_of(copy));
    fs::copy(file, &file_copy)?;
    // What is read only stays so where it is.
    fs::set_permissions(&file_copy, Permissions::from_mode(0o600))?;
    if log.try_exists()? {
        fs::copy(log, &log_copy)?;
        fs::set_permissions(&log_copy, Permissions::from_mode(0o600))?;
    }
    Ok(())
}

/// That it is whole, and that this program works with it. Its log is written into it.
async fn check(file: &Path) -> anyhow::Result<()> {
    let url = format!("sqlite://{}", file.display());
    let database = Database::connect(&url, &DatabaseOptions::default()).await?;
    let damage = backup::damage(database.read()).await;
    let (difference, guilds) =
        (migrations::difference(database.read()).await, guild::count(database.read()).await);
    database.close().await;
    if let Some(damage) = damage? {
        bail!("it is damaged: {damage}");
    }
    let refused = difference?.refused;
    if !refused.is_empty() {
        bail!("it is of a newer version of guildhall: {}", refused.join(", "));
    }
    guilds.context("it is no database of guildhall")?;
    if has_log(file)? {
        bail!("the log beside it cannot be written into a copy of it");
    }
    Ok(())
}

/// Renames what is there, in whatever state it is, to a name that is free: nothing that was kept before goes.
async fn put_aside(config: &Config, file: &Path) -> anyhow::Result<Option<PathBuf>> {
    if file.try_exists()? {
        write_back(config, file).await?;
    } else if !is_taken(file)? {
        return Ok(None);
    }
    let kept = free_name(file)?;
    for (from, to) in files_of(file).iter().zip(files_of(&kept)) {
        if let Err(error) = fs::rename(from, to)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(error.into());
        }
    }
    Ok(Some(kept))
}

/// So that one file holds everything. One that cannot be opened stays as it is, with its log.
async fn write_back(config: &Config, file: &Path) -> anyhow::Result<()> {
    let Ok(database) = schema::connect(config).await else { return Ok(()) };
    database.close().await;
    if has_log(file)? {
        bail!("another program has {} open, or the disk is full: end it, and try again", file.display());
    }
    Ok(())
}

fn free_name(file: &Path) -> io::Result<PathBuf> {
    let mut number = 1_u32;
    loop {
        let mut name = file.as_os_str().to_owned();
        name.push(KEPT);
        if number > 1 {
            name.push(format!("-{number}"));
        }
        if !is_taken(Path::new(&name))? {
            return Ok(name.into());
        }
        number += 1;
    }
}

/// Whether there is such a database, or a part of it.
fn is_taken(file: &Path) -> io::Result<bool> {
    for part in files_of(file) {
        if part.try_exists()? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether commits may be in the log only.
fn has_log(file: &Path) -> io::Result<bool> {
    let [_, log, _] = files_of(file);
    Ok(log.try_exists()? && fs::metadata(log)?.len() > 0)
}
