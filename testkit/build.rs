//! Names the schema by its migrations, so that a template database never outlives them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;

fn main() -> io::Result<()> {
    let mut files = Vec::new();
    for folder in ["../migrations/src", "../migrations/schema"] {
        println!("cargo::rerun-if-changed={folder}");
        for entry in std::fs::read_dir(folder)? {
            files.push(entry?.path());
        }
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files.iter().filter(|file| file.is_file()) {
        file.hash(&mut hasher);
        std::fs::read(file)?.hash(&mut hasher);
    }
    println!("cargo::rustc-env=SCHEMA_HASH={:016x}", hasher.finish());
    Ok(())
}
