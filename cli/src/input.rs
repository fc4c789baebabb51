//! A file that a command reads: `-` is standard input, or refused.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

#[derive(Debug, Clone)]
pub(crate) struct Input(PathBuf);

impl Input {
    /// All of it; blocks the thread.
    pub(crate) fn read(&self) -> anyhow::Result<Vec<u8>> {
        let mut text = Vec::new();
        let read = if self.is_stdin() {
            io::stdin().read_to_end(&mut text)
        } else {
            File::open(&self.0).and_then(|mut file| file.read_to_end(&mut text))
        };
        read.with_context(|| format!("cannot read {self}"))?;
        Ok(text)
    }

    fn is_stdin(&self) -> bool {
        is_dash(&self.0)
    }
}

/// What stands for standard input, or for standard output where a command writes.
pub(crate) fn is_dash(file: &Path) -> bool {
    file == Path::new("-")
}

/// For a command that needs a file with a name, and says why.
pub(crate) fn refuse_dash(file: &Path, why: &str) -> anyhow::Result<()> {
    if is_dash(file) {
        bail!("{why}: name a file instead of `-` (`./-` if that is its name)");
    }
    Ok(())
}

impl From<OsString> for Input {
    fn from(path: OsString) -> Self {
        Self(path.into())
    }
}

/// As errors name it.
impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_stdin() { f.write_str("standard input") } else { self.0.display().fmt(f) }
    }
}
