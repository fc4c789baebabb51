//! Files that other bots have exported: CSV with or without a head, or JSON. The columns are recognized by their usual names, or
//! named by whoever imports; what the cells hold is checked there.

mod column;
mod json;
mod links;
mod sheet;
mod table;

pub use column::Column;
pub use links::{Export, Line};
pub use sheet::{Sheet, SheetLine};

impl Sheet {
    /// The error names the line.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        // Spreadsheets write it before the first line.
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        match bytes.trim_ascii_start().first() {
            None => Err("the file is empty".to_owned()),
            Some(b'[' | b'{') => json::read(bytes),
            Some(_) => table::read(bytes),
        }
    }
}

#[cfg(test)]
mod tests;
