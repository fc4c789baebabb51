//! A file that a command writes: under its name only when it is whole, and never over another one.

use std::path::Path;

use anyhow::{Context as _, bail};
use tempfile::NamedTempFile;

pub(crate) fn begin(file: &Path) -> anyhow::Result<NamedTempFile> {
    let name = file.display();
    if file.try_exists()? {
        bail!("{name} exists: name another file, or remove it first");
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    NamedTempFile::new_in(folder).with_context(|| format!("cannot write {name}"))
}

pub(crate) fn finish(written: NamedTempFile, file: &Path) -> anyhow::Result<()> {
    written.as_file().sync_all()?;
    written.persist_noclobber(file).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(())
}
