//! A skewed wall clock for one real process: libfaketime sits between it and the C library. The product has no
//! switch for this, so the tested binary is the released one. Monotonic time stays correct.

use std::path::PathBuf;

use anyhow::Context as _;

/// The path in Debian's package `libfaketime`, below the architecture's folder.
const LIBRARIES: &str = "/usr/lib";
const LIBRARY: &str = "faketime/libfaketimeMT.so.1";

pub(super) struct Skew {
    library: String,
    offset: String,
}

impl Skew {
    /// `None` without a skew; an error if the library is missing.
    pub(super) fn of(seconds: i64) -> anyhow::Result<Option<Self>> {
        if seconds == 0 {
            return Ok(None);
        }
        let library = library().context("--skew-seconds needs libfaketime: apt-get install libfaketime")?;
        Ok(Some(Self { library: library.display().to_string(), offset: format!("{seconds:+}s") }))
    }

    pub(super) fn variables(&self) -> [(&str, &str); 3] {
        [("LD_PRELOAD", &self.library), ("FAKETIME", &self.offset), ("FAKETIME_DONT_FAKE_MONOTONIC", "1")]
    }
}

fn library() -> Option<PathBuf> {
    let folders = std::fs::read_dir(LIBRARIES).ok()?.flatten();
    folders.map(|folder| folder.path().join(LIBRARY)).find(|library| library.is_file())
}
