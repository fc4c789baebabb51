//! Links as other bots export them: CSV with or without a head, or JSON. The columns are recognized by their usual names;
//! what the cells hold is checked by whoever imports them.

mod export;
mod json;
mod table;

pub use export::{Column, Export, Line};

impl Export {
    /// The error names the line.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        // Spreadsheets write it before the first line.
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let export = match bytes.trim_ascii_start().first() {
            None => return Err("the file is empty".to_owned()),
            Some(b'[' | b'{') => json::read(bytes)?,
            Some(_) => table::read(bytes)?,
        };
        let has = |column| export.columns.iter().any(|(found, _)| *found == column);
        if !has(Column::Chat) {
            return Err("line 1 names no column of Discord ids".to_owned());
        }
        if !has(Column::Play) && !has(Column::Name) {
            return Err("line 1 names no column of Roblox ids or names".to_owned());
        }
        Ok(export)
    }
}

#[cfg(test)]
mod tests;
