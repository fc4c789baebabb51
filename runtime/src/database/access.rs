//! Restricts a SQLite database to its own user, because it holds hashes of keys.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

const FILE: u32 = 0o600;
const FOLDER: u32 = 0o700;

/// Makes the file where there is none. Its folder is restricted too, unless others keep files there.
pub(super) fn restrict(database: &Path) -> io::Result<()> {
    // SQLite gives the files beside the database the mode of the database, and its owner.
    create(OpenOptions::new().append(true).mode(FILE), database)?;
    for file in files_of(database) {
        if file.try_exists()? {
            narrow(&file, FILE)?;
        }
    }
    match database.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) if is_ours(folder, database)? => narrow(folder, FOLDER),
        _ => Ok(()),
    }
}

/// Opens the file. A new one belongs to whoever has its folder, also if root makes it: `serve` has to open it.
pub(super) fn create(options: &mut OpenOptions, file: &Path) -> io::Result<File> {
    let is_new = !file.try_exists()?;
    let opened = options.create(true).open(file)?;
    if is_new {
        give_to_owner_of(file, folder_of(file))?;
    }
    Ok(opened)
}

/// Gives a file of root's to the owner of another file or folder. Other users cannot, and need not.
pub fn give_to_owner_of(file: &Path, like: &Path) -> io::Result<()> {
    if !geteuid().is_root() {
        return Ok(());
    }
    let (has, wanted) = (fs::metadata(file)?, fs::metadata(like)?);
    if (has.uid(), has.gid()) == (wanted.uid(), wanted.gid()) {
        return Ok(());
    }
    match chown(file, Some(wanted.uid()), Some(wanted.gid())) {
        // A root of a container without this right, or of another machine.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            tracing::warn!(%error, path = %file.display(), "cannot give the file to the owner of its folder");
            Ok(())
        }
        given => given,
    }
}

/// The folder of a file: of a mere name, the current one.
pub fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A SQLite database, and the files that SQLite keeps beside it while it is open.
pub fn files_of(database: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|end| with_end(database, end))
}

fn with_end(database: &Path, end: &str) -> PathBuf {
    let mut path = OsString::from(database);
    path.push(end);
    path.into()
}

/// Whether every file in it belongs to the database.
fn is_ours(folder: &Path, database: &Path) -> io::Result<bool> {
    let name = database.file_name().unwrap_or_default().as_bytes();
    for entry in fs::read_dir(folder)? {
        if !entry?.file_name().as_bytes().starts_with(name) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn narrow(path: &Path, most: u32) -> io::Result<()> {
    let mode = fs::metadata(path)?.permissions().mode();
    if mode & 0o777 & !most == 0 {
        return Ok(());
    }
    match fs::set_permissions(path, Permissions::from_mode(mode & most)) {
        // It belongs to another user, who decides.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            tracing::warn!(%error, path = %path.display(), "others can read the database, and this user cannot change that");
            Ok(())
        }
        changed => changed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_database_that_others_could_read_is_restricted_with_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (data, database) = (folder.path().join("data"), folder.path().join("data/guildhall.db"));
        fs::create_dir(&data).unwrap();
        let files = ["", "-wal", "-shm", ".lock"].map(|end| with_end(&database, end));
        for file in &files {
            fs::write(file, "").unwrap();
            fs::set_permissions(file, Permissions::from_mode(0o644)).unwrap();
        }
        fs::set_permissions(&data, Permissions::from_mode(0o755)).unwrap();
        restrict(&database).unwrap();
        assert_eq!(files[..3].iter().map(|file| mode(file)).collect::<Vec<_>>(), [FILE; 3]);
        assert_eq!(mode(&data), FOLDER);
        // Narrower permissions stay.
        fs::set_permissions(&data, Permissions::from_mode(0o500)).unwrap();
        restrict(&database).unwrap();
        assert_eq!(mode(&data), 0o500);
    }

    #[test]
    fn what_root_makes_belongs_to_the_owner_of_its_folder() {
        if !geteuid().is_root() {
            eprintln!("skipped database::access: only root may give files away");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        chown(folder.path(), Some(65_534), Some(65_533)).unwrap();
        let owner = |file: &Path| fs::metadata(file).map(|file| (file.uid(), file.gid())).unwrap();
        let database = folder.path().join("guildhall.db");
        restrict(&database).unwrap();
        assert_eq!(owner(&database), (65_534, 65_533));
        chown(&database, Some(1), Some(1)).unwrap();
        restrict(&database).unwrap();
        assert_eq!(owner(&database), (1, 1), "what is there stays whose it is");
    }

    #[test]
    fn a_folder_that_others_use_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        fs::write(folder.path().join("notes.txt"), "").unwrap();
        let database = folder.path().join("guildhall.db");
        restrict(&database).unwrap();
        assert_eq!((mode(&database), mode(folder.path())), (FILE, 0o755));
    }
}
