//! A file that a command reads: `-` is standard input.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

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
        self.0 == Path::new("-")
    }
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
